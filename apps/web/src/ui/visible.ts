import { INVISIBLE } from '@custodia/contract'

/**
 * An external name with its invisible characters spelled out, such as `[U+202E]`, against spoofed names and file types.
 * For display only; files and clipboard keep the original.
 */
export const visible = (name: string): string =>
  name.replace(INVISIBLE, (hidden) =>
    hidden.replace(/./g, (each) => `[U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`),
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
