import { BATCH_LIMIT } from '@custodia/contract'
import * as z from 'zod/mini'

/** What the address of a list holds: filters, dates, saved view and the row whose preview is open. */
export type ListSearch = { readonly [name: string]: string | readonly string[] | true | undefined }

/** Moments in addresses: `now`, `today`, `yesterday`, `-7d`, `-24h`, `-2w` or a day such as `2026-11-21`. */
export const DateText = z
  .string()
  .check(z.regex(/^(?:now|today|yesterday|-\d{1,4}[hdw]|\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))$/))

const textsOf = (raw: unknown): string[] =>
  (Array.isArray(raw) ? raw : [raw]).filter((value) => typeof value === 'string' && value !== '')

function accepted<T extends string>(item: z.ZodMiniType<T>, raw: unknown): T[] {
  const kept = [...new Set(textsOf(raw))].map((text) => item.safeParse(text))
  return kept.flatMap((parsed) => (parsed.success ? [parsed.data] : []))
}

/** One value; what `item` refuses drops instead of breaking the page. */
export const one = <T extends string>(item: z.ZodMiniType<T>) =>
  z.optional(
    z.pipe(
      z.unknown(),
      z.transform((raw): T | undefined => accepted(item, raw)[0]),
    ),
  )

/** Several values separated by commas, each once; those that `item` refuses drop. */
export const several = <T extends string>(item: z.ZodMiniType<T>) =>
  z.optional(
    z.pipe(
      z.unknown(),
      z.transform((raw): T[] | undefined => {
        const kept = accepted(item, raw).slice(0, BATCH_LIMIT)
        return kept.length === 0 ? undefined : kept
      }),
    ),
  )

/** A free text, commas included. */
export const freeText = (item: z.ZodMiniType<string>) =>
  z.optional(
    z.pipe(
      z.unknown(),
      z.transform((raw): string | undefined => {
        const parsed = item.safeParse(textsOf(raw).join(',').trim())
        return parsed.success ? parsed.data : undefined
      }),
    ),
  )

/** A telephone number. In an address typed by hand the plus sign arrives as a space. */
export const numberText = (item: z.ZodMiniType<string>) =>
  z.optional(
    z.pipe(
      z.unknown(),
      z.transform((raw): string | undefined => {
        const parsed = item.safeParse(
          textsOf(raw)
            .join(',')
            .replace(/^ (?=\d)/, '+')
            .trim(),
        )
        return parsed.success ? parsed.data : undefined
      }),
    ),
  )

/** True for `true`, as the address has it or as it was read before; otherwise absent. */
export const flag = () =>
  z.optional(
    z.pipe(
      z.unknown(),
      z.transform((raw): true | undefined => (raw === true || textsOf(raw)[0] === 'true' ? true : undefined)),
    ),
  )

/**
 * Search parameters that are no filters: they neither count as one nor belong to a saved view. `edit` and `create` open
 * the drawer of a form, `tab` chooses a part of the page.
 */
const NOT_FILTERS: ReadonlySet<string> = new Set(['view', 'preview', 'edit', 'create', 'tab'])

/** The filters alone, absent ones left out. */
export function filtersOf(search: ListSearch): ListSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([name, value]) => value !== undefined && !NOT_FILTERS.has(name)),
  )
}

/** Whether two searches filter alike, whatever the order of their parameters. */
export const sameFilters = (a: ListSearch, b: ListSearch): boolean => canonical(a) === canonical(b)

/** Equal for searches that filter alike; serves as a key. */
export const canonical = (search: ListSearch): string =>
  JSON.stringify(Object.entries(filtersOf(search)).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Changes search parameters; undefined removes one. Typing replaces the history entry, choices add one. */
export type ChangeSearch = (changes: ListSearch, how?: { replace: boolean }) => void
