import type { Page } from '@custodia/contract'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { allPages, MAX_ROWS } from '../../api/all-pages.ts'
import { getKey } from '../../api/call-keys.ts'
import { queryClient } from '../../api/query-client.ts'
import type { ListDefinition, Paging } from './list-definition.ts'
import { canonical, type ListSearch, PAGE_ROWS } from './list-search.ts'

/** Milliseconds that the rows of a left list stay cached for a return. */
const KEPT_MS = 30 * 60_000

export interface TimedPage<Row> extends Page<Row> {
  /** Time at which relative dates were resolved, for all pages of a list. Epoch milliseconds. */
  at: number
  /** Fetch time of this page; epoch milliseconds. */
  read_at: number
}
export type Position = { last_key: string | undefined; at: number } | undefined

/** Rows of a list page by page, for the list and for navigation from its rows. */
export const rowsQuery = <Row, Query>(list: ListDefinition<Row, Query>, search: ListSearch) =>
  infiniteQueryOptions({
    queryKey: getKey(list.call, list.name, canonical(search)),
    queryFn: async ({ pageParam, signal }): Promise<TimedPage<Row>> => {
      const { at, last_key } = pageParam ?? { at: Date.now(), last_key: undefined }
      const read = (paging: Paging) => list.readPage(list.getQuery(search, at), paging, { signal })
      const sorted =
        last_key === undefined && !list.hasSort && typeof search.sort === 'string'
          ? await sortedRows(list, search.sort, read)
          : undefined
      return {
        ...(sorted ?? (await read({ limit: PAGE_ROWS, last_key }))),
        at,
        read_at: Date.now(),
      }
    },
    initialPageParam: undefined as Position,
    getNextPageParam: ({ last_key, at }): Position => (last_key === undefined ? undefined : { last_key, at }),
    // Rows of other filters, never those of another list.
    placeholderData: (data, query) => (query?.queryKey[1] === list.name ? data : undefined),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
    meta: { silent: list.isFailureInPlace === true },
  })

/** All rows of a list in the order of a column; undefined where there are too many, or no such column. */
async function sortedRows<Row, Query>(
  { columns }: ListDefinition<Row, Query>,
  sort: string,
  read: (paging: Paging) => Promise<Page<Row>>,
): Promise<Page<Row> | undefined> {
  const isDescending = sort.startsWith('-')
  const value = columns.find(({ id }) => id === sort.replace('-', ''))?.csv?.[0]?.value
  const rows = value && (await allPages(read))
  if (!rows || rows.length >= MAX_ROWS) return undefined
  const { compare } = new Intl.Collator(document.documentElement.lang, { numeric: true })
  const keyed = rows.map((row) => [value(row) ?? '', row] as const)
  keyed.sort(([one], [other]) => {
    const [a, b] = isDescending ? [other, one] : [one, other]
    return typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b))
  })
  return { count: rows.length, data: keyed.map(([, row]) => row) }
}

/** Prefetches a list's first rows while its page loads. `raw` as in the address. The page retries and reports failures. */
export const askForRows = <Row, Query>(list: ListDefinition<Row, Query>, raw: object): Promise<void> =>
  queryClient.prefetchInfiniteQuery({ ...rowsQuery(list, list.parse(raw)), meta: { silent: true } })
