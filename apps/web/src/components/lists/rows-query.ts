import type { Page } from '@custodia/contract'
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { queryClient } from '../../api/query-client.ts'
import type { ListDefinition } from './list-definition.ts'
import { canonical, type ListSearch } from './list-search.ts'
import { PAGE_ROWS } from './page-rows.ts'

/** A list that was left keeps its rows this long, so that the way back finds it as it was. */
const KEPT_MS = 30 * 60_000

export interface TimedPage<Row> extends Page<Row> {
  /** The moment at which relative dates were resolved: all pages of one list share it. Epoch milliseconds. */
  at: number
  /** When this page was read; epoch milliseconds. */
  read_at: number
}
export type Position = { last_key: string | undefined; at: number } | undefined

/** The rows of a list, page after page: for the list itself, and for whoever walks on from one of its rows. */
export const rowsQuery = <Row, Query>(list: ListDefinition<Row, Query>, search: ListSearch) =>
  infiniteQueryOptions({
    queryKey: keyOf(list.call, list.name, canonical(search)),
    queryFn: async ({ pageParam, signal }): Promise<TimedPage<Row>> => {
      const { at, last_key } = pageParam ?? { at: Date.now(), last_key: undefined }
      return {
        ...(await list.readPage(list.queryOf(search, at), { limit: PAGE_ROWS, last_key }, signal)),
        at,
        read_at: Date.now(),
      }
    },
    initialPageParam: undefined as Position,
    getNextPageParam: ({ last_key, at }): Position => (last_key === undefined ? undefined : { last_key, at }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
  })

/** Asks for the first rows of a list whose page is on its way. `raw` as the address has it. What fails is told by the page, which asks again. */
export const askForRows = <Row, Query>(list: ListDefinition<Row, Query>, raw: object): Promise<void> =>
  queryClient.prefetchInfiniteQuery({ ...rowsQuery(list, list.parse(raw)), meta: { silent: true } })
