/**
 * Characters that change the direction of text (Unicode UAX 9), and those without width. Some scripts and emoji need
 * joiners, Latin letters and digits do not.
 */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u3164\ufeff\uffa0]|(?<=[\p{Script=Latin}\d])[\u200c\u200d]+|[\u200c\u200d]+(?=[\p{Script=Latin}\d])/gu

/**
 * An external name with its invisible characters spelled out, such as `[U+202E]`, against spoofed names and file types.
 * For display only; files and clipboard keep the original.
 */
export const visible = (name: string): string =>
  name.replace(INVISIBLE, (hidden) =>
    Array.from(
      hidden,
      (each) => `[U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
    ).join(''),
  )

/** The author in a field such as `opened_by`: by display name, else by sign-in name. Empty: none. */
export function authorName<Field extends string>(
  row: { readonly [Each in Field]?: string | null | undefined } & {
    readonly [Each in `${Field}_name`]?: string | undefined
  },
  field: Field,
): string {
  const values: Readonly<Record<string, string | null | undefined>> = row
  return visible(values[`${field}_name`] ?? values[field] ?? '')
}
