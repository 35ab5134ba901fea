interface Named {
  first_name: string | null
  surname: string | null
}

/** First name and surname; empty where neither is known. */
export const personName = ({ first_name, surname }: Named): string =>
  [first_name, surname].filter(Boolean).join(' ')
