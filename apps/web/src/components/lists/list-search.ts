import { BATCH_LIMIT } from '@custodia/contract'
import * as z from 'zod/mini'

/** Address of a list: filters, dates, saved view and previewed row. */
export type ListSearch = { readonly [name: string]: string | readonly string[] | boolean | undefined }

/** Reads a search parameter from an address or an earlier result; drops invalid values. */
export type Reader<Value extends NonNullable<ListSearch[string]> = NonNullable<ListSearch[string]>> = (
  raw: unknown,
) => Value | undefined
export type Readers = Readonly<Record<string, Reader>>
export type Search<R extends Readers> = { [Name in keyof R]?: NonNullable<ReturnType<R[Name]>> }

/** Parses an address parameter by parameter; unknown ones are dropped. */
export const searchReader =
  <R extends Readers>(readers: R) =>
  (raw: object): Search<R> =>
    Object.fromEntries(
      Object.entries(readers).flatMap(([name, read]) => {
        const value = read((raw as Readonly<Record<string, unknown>>)[name])
        return value === undefined ? [] : [[name, value]]
      }),
    ) as Search<R>

/**
 * Dates in addresses: `now`, `-24h`; days: `today`, `yesterday`, `-7d`, `-2w`, `2026-11-21`; a minute of a day, `2026-11-21T09:30`; weeks and
 * months: `last-week` (Monday to Sunday), `this-month`. `from` uses their start, `to` their end.
 */
export const DateText = z
  .string()
  .check(
    z.regex(
      /^(?:now|today|yesterday|last-week|this-month|-\d{1,4}[hdw]|\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d)?)$/,
    ),
  )

type Item<T extends string> = z.ZodMiniType<T>

const getTexts = (raw: unknown): string[] =>
  (Array.isArray(raw) ? raw : [raw]).filter((value) => typeof value === 'string' && value !== '')

function accepted<T extends string>(item: Item<T>, texts: readonly string[]): T[] {
  const kept = [...new Set(texts)].map((text) => item.safeParse(text))
  return kept.flatMap((parsed) => (parsed.success ? [parsed.data] : []))
}

/** One value: the first that `item` accepts. */
export const one =
  <T extends string>(item: Item<T>): Reader<T> =>
  (raw) =>
    accepted(item, getTexts(raw))[0]

/** Several distinct values, comma-separated in the address or in one field. */
export const several =
  <T extends string>(item: Item<T>): Reader<T[]> =>
  (raw) => {
    const texts = getTexts(raw).flatMap((text) => text.split(',').map((part) => part.trim()))
    const kept = accepted(item, texts).slice(0, BATCH_LIMIT)
    return kept.length === 0 ? undefined : kept
  }

/** Free text with commas. In a typed address the plus of a number arrives as a space. */
export const freeText =
  (item: Item<string>): Reader<string> =>
  (raw) => {
    const text = getTexts(raw)
      .join(',')
      .replace(/^ (?=\d)/, '+')
      .trim()
    // Empty API fields are absent in addresses.
    const parsed = text === '' ? undefined : item.safeParse(text)
    return parsed?.success ? parsed.data : undefined
  }

/** `true` or `false`. */
export const either: Reader<boolean> = (raw) => {
  const stated = typeof raw === 'boolean' ? String(raw) : getTexts(raw)[0]
  return stated === 'true' ? true : stated === 'false' ? false : undefined
}

/** True for `true`; otherwise absent. */
export const flag: Reader<true> = (raw) => (either(raw) === true ? true : undefined)

/**
 * Parameters that are no filters: they do not count and are not saved in a view. `edit` and `create` open a drawer,
 * `tab` selects a tab.
 */
const NOT_FILTERS: ReadonlySet<string> = new Set(['view', 'preview', 'edit', 'create', 'tab'])

/** The filters without absent ones. */
export function getFilters(search: ListSearch): ListSearch {
  return Object.fromEntries(
    Object.entries(search).filter(([name, value]) => value !== undefined && !NOT_FILTERS.has(name)),
  )
}

/** Whether two searches have the same filters in any order. */
export const sameFilters = (a: ListSearch, b: ListSearch): boolean => canonical(a) === canonical(b)

/** Key that is equal for equal filters. */
export const canonical = (search: ListSearch): string =>
  JSON.stringify(Object.entries(getFilters(search)).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Updates search parameters; undefined removes one. Typing replaces the history entry, choices push one. */
export type ChangeSearch = (changes: ListSearch, how?: { replace: boolean }) => void

/** Rows per page: enough for the tallest screen, small enough to arrive quickly. */
export const PAGE_ROWS = 100
