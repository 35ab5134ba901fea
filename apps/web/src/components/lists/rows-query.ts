import type { Page } from '@custodia/contract'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { queryClient } from '../../api/query-client.ts'
import type { ListDefinition } from './list-definition.ts'
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
    queryKey: keyOf(list.call, list.name, canonical(search)),
    queryFn: async ({ pageParam, signal }): Promise<TimedPage<Row>> => {
      const { at, last_key } = pageParam ?? { at: Date.now(), last_key: undefined }
      return {
        ...(await list.readPage(list.queryOf(search, at), { limit: PAGE_ROWS, last_key }, { signal })),
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

/** Prefetches a list's first rows while its page loads. `raw` as in the address. The page retries and reports failures. */
export const askForRows = <Row, Query>(list: ListDefinition<Row, Query>, raw: object): Promise<void> =>
  queryClient.prefetchInfiniteQuery({ ...rowsQuery(list, list.parse(raw)), meta: { silent: true } })
