import { BATCH_LIMIT } from '@custodia/contract'
import * as z from 'zod/mini'

/** What the address of a list holds: filters, dates, saved view and the row whose preview is open. */
export type ListSearch = { readonly [name: string]: string | readonly string[] | boolean | undefined }

/** Reads a search parameter, as the address has it or as it was read before; what it refuses drops instead of breaking the page. */
export type Reader<Value extends NonNullable<ListSearch[string]> = NonNullable<ListSearch[string]>> = (
  raw: unknown,
) => Value | undefined
export type Readers = Readonly<Record<string, Reader>>
export type Search<R extends Readers> = { [Name in keyof R]?: NonNullable<ReturnType<R[Name]>> }

/** What an address says, parameter by parameter; those that have no reader drop. */
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
 * Moments in addresses: `now`, `-24h`; days: `today`, `yesterday`, `-7d`, `-2w`, `2026-11-21`; a minute of a day, `2026-11-21T09:30`; weeks and
 * months: `last-week` (Monday to Sunday), `this-month`. As `from` they mean their beginning, as `to` their end.
 */
export const DateText = z
  .string()
  .check(
    z.regex(
      /^(?:now|today|yesterday|last-week|this-month|-\d{1,4}[hdw]|\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d)?)$/,
    ),
  )

type Item<T extends string> = z.ZodMiniType<T>

const textsOf = (raw: unknown): string[] =>
  (Array.isArray(raw) ? raw : [raw]).filter((value) => typeof value === 'string' && value !== '')

function accepted<T extends string>(item: Item<T>, texts: readonly string[]): T[] {
  const kept = [...new Set(texts)].map((text) => item.safeParse(text))
  return kept.flatMap((parsed) => (parsed.success ? [parsed.data] : []))
}

/** One value: the first that `item` accepts. */
export const one =
  <T extends string>(item: Item<T>): Reader<T> =>
  (raw) =>
    accepted(item, textsOf(raw))[0]

/** Several values, each once, separated by commas, which no name holds: in the address or in one field. */
export const several =
  <T extends string>(item: Item<T>): Reader<T[]> =>
  (raw) => {
    const texts = textsOf(raw).flatMap((text) => text.split(',').map((part) => part.trim()))
    const kept = accepted(item, texts).slice(0, BATCH_LIMIT)
    return kept.length === 0 ? undefined : kept
  }

/** A free text, commas included. In an address typed by hand the plus sign of a number arrives as a space. */
export const freeText =
  (item: Item<string>): Reader<string> =>
  (raw) => {
    const text = textsOf(raw)
      .join(',')
      .replace(/^ (?=\d)/, '+')
      .trim()
    // Some fields may be empty on the wire; in an address that is to be absent.
    const parsed = text === '' ? undefined : item.safeParse(text)
    return parsed?.success ? parsed.data : undefined
  }

/** `true` or `false`. */
export const either: Reader<boolean> = (raw) => {
  const stated = typeof raw === 'boolean' ? String(raw) : textsOf(raw)[0]
  return stated === 'true' ? true : stated === 'false' ? false : undefined
}

/** True for `true`; otherwise absent. */
export const flag: Reader<true> = (raw) => (either(raw) === true ? true : undefined)

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
