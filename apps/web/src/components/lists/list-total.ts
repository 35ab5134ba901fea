import type { Total } from '@custodia/contract'
import { useQuery } from '@tanstack/react-query'
import type { CallKey } from '../../api/call-keys.ts'
import type { ListDefinition } from './list-definition.ts'
import type { ListSearch } from './list-search.ts'

/** Rows per poll for new rows. */
export const POLLED = 50

/** Milliseconds until the next poll. Changes to the polled rows in between, such as marks, do not put it off. */
export const untilPoll = (
  every: number,
  { dataUpdatedAt, errorUpdatedAt }: { dataUpdatedAt: number; errorUpdatedAt: number },
): number => Math.max(1_000, Math.max(dataUpdatedAt, errorUpdatedAt) + every - Date.now())

/** Total of a list. A change of its rows makes it stale, not time. */
export function useListTotal<Row, Query>(
  list: ListDefinition<Row, Query>,
  search: ListSearch,
  { key, isLoaded }: { key: CallKey; isLoaded: boolean },
): Total | undefined {
  const { data } = useQuery({
    queryKey: [...key, 'total'],
    // The rows are the view on record, so they come first.
    queryFn: ({ signal }) => list.readTotal(list.getQuery(search, Date.now()), { signal, is_refresh: true }),
    enabled: isLoaded,
    placeholderData: (last, query) => (query?.queryKey[1] === list.name ? last : undefined),
    meta: { isWatch: true, silent: list.isFailureInPlace === true },
  })
  return data
}

/** The number of rows; undefined while it is unknown or counting stopped before the last. */
export const wholeTotal = (total: Total | undefined): number | undefined =>
  total?.is_capped ? undefined : total?.total

/** A total whose counting stopped before the loaded rows. */
export const atLeast = (total: Total, loaded: number, hasMore: boolean): Total =>
  total.is_capped && loaded >= total.total ? { ...total, total: loaded, is_capped: hasMore } : total
