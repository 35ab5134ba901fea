import type { Answer, Api, CallInput } from '@custodia/contract'
import type * as z from 'zod/mini'
import { toDateParameters } from './date-range.ts'
import type { ListFilter } from './list-definition.ts'
import {
  DateText,
  either,
  getFilters,
  flag,
  freeText,
  type ListSearch,
  one,
  type Reader,
  type Readers,
  searchReader,
  several,
} from './list-search.ts'

/** Answer and common query of every list call. */
type ListAnswer = { data: readonly unknown[] } | { total: number }
type CommonParameter = 'client' | 'limit' | 'last_key' | 'type'

export type ListCall = {
  [Name in keyof Api]: Answer<Api[Name]> extends ListAnswer
    ? { total: number } extends Answer<Api[Name]>
      ? Name
      : never
    : never
}[keyof Api]

/** A row of `Call`'s list. */
export type RowOf<Call extends ListCall> = Extract<
  Answer<Api[Call]>,
  { data: readonly unknown[] }
>['data'][number]

/** Query of `Call` without paging. */
export type QueryOf<Call extends ListCall> = Omit<NonNullable<CallInput<Api[Call]>['query']>, CommonParameter>

/** Address of a list of `Call`: its filters under their API names, and the common parameters. */
export type SearchOf<Call extends ListCall> = Partial<QueryOf<Call>> & {
  view?: string
  preview?: string
  edit?: string
  create?: true
}

/** Parts of a schema in Zod's representation. */
interface Definition {
  type: string
  innerType?: z.ZodMiniType
  out?: z.ZodMiniType
  element?: z.ZodMiniType<string>
}

/** Reader of a query field in an address. */
function getReader(schema: z.ZodMiniType): Reader {
  const { type, innerType, out, element } = schema.def as Definition
  const inner = innerType ?? out
  if (inner !== undefined) return getReader(inner)
  if (element !== undefined) return several(element)
  if (type === 'boolean') return either
  return type === 'enum' ? one(schema as z.ZodMiniType<string>) : freeText(schema as z.ZodMiniType<string>)
}

/** Parses a list's address: `filters` by the call's query schema, dates (may be relative), and the list's `own` parameters. */
export function callSearch(
  query: z.ZodMiniObject,
  filters: readonly Pick<ListFilter, 'name' | 'kind'>[],
  own: Readers = {},
) {
  const { shape } = query
  const readers: Readers = {
    ...Object.fromEntries(
      filters.flatMap(({ name, kind }) => {
        const field = shape[name] as z.ZodMiniType | undefined
        // A flag is set or absent; `false` is not used.
        return field === undefined ? [] : [[name, kind === 'flag' ? flag : getReader(field)]]
      }),
    ),
    ...(shape.date_filter ? { date_filter: getReader(shape.date_filter as z.ZodMiniType) } : {}),
    ...(shape.order ? { order: getReader(shape.order as z.ZodMiniType) } : {}),
    ...(shape.sort ? { sort: getReader(shape.sort as z.ZodMiniType) } : {}),
    ...(shape.from ? { from: one(DateText), to: one(DateText) } : {}),
    ...own,
  }
  return searchReader(readers)
}

/**
 * Converts a search's filters to the API's query.
 * @param now epoch milliseconds, for relative dates
 */
export function wireFilters(query: z.ZodMiniObject, search: ListSearch, now: number): object {
  const { from, to, ...filters } = getFilters(search)
  const text = (value: ListSearch[string]) => (typeof value === 'string' ? value : undefined)
  const dates = toDateParameters({ from: text(from), to: text(to) }, now)
  return Object.fromEntries(
    Object.entries({ ...filters, ...dates }).filter(
      ([name, value]) => value !== undefined && name in query.shape,
    ),
  )
}
