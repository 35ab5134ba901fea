/** Stores the account on this machine as the default of the next sign-in. */
const ACCOUNT_KEY = 'custodia.account'

/** The account of the last sign-in, or an empty text. */
export const lastAccount = (): string => localStorage.getItem(ACCOUNT_KEY) ?? ''

export const storeLastAccount = (client: string): void => localStorage.setItem(ACCOUNT_KEY, client)
