import { keyOf } from '../../api/call-keys.ts'
import type { Page } from '@custodia/contract'
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { ListDefinition } from './list-definition.ts'
import { canonical, type ListSearch } from './list-search.ts'
import { type Position, rowsQuery, type TimedPage } from './rows-query.ts'

/** Poll interval for new rows, in milliseconds. */
const NEWS_EVERY_MS = 30_000
/** Rows per poll. */
const NEWS_ROWS = 50
/**
 * Loaded rows of a list, total, and new rows. Loaded rows never move: new rows are counted until the user inserts
 * them; visible rows update in place.
 */
export function useListRows<Row, Query>(list: ListDefinition<Row, Query>, search: ListSearch) {
  const client = useQueryClient()
  const filters = canonical(search)
  const newsEvery = list.newsEveryMs ?? NEWS_EVERY_MS
  const key = useMemo(() => keyOf(list.call, list.name, filters), [list.call, list.name, filters])

  const pages = useInfiniteQuery(rowsQuery(list, search))
  const total = useQuery({
    queryKey: [...key, 'total'],
    queryFn: ({ signal }) => list.readTotal(list.queryOf(search, Date.now()), signal),
    placeholderData: keepPreviousData,
    refetchInterval: list.isUnchanged ? false : NEWS_EVERY_MS,
    meta: { isWatch: true },
  })
  const start = useQuery({
    queryKey: [...key, 'start'],
    queryFn: ({ signal }): Promise<Page<Row>> =>
      list.readPage(list.queryOf(search, Date.now()), { limit: NEWS_ROWS }, signal),
    // The first poll would repeat the initial load.
    enabled: !list.isUnchanged && pages.isSuccess && !pages.isPlaceholderData,
    initialData: () => (pages.isPlaceholderData ? undefined : pages.data?.pages[0]),
    initialDataUpdatedAt: pages.dataUpdatedAt,
    staleTime: newsEvery,
    refetchInterval: newsEvery,
    meta: { isWatch: true },
  })

  const loaded = useMemo(() => pages.data?.pages.flatMap((page) => page.data) ?? [], [pages.data])
  const loadedKeys = useMemo(() => new Set(loaded.map(list.keyOf)), [loaded, list])
  const readAt = pages.data?.pages[0]?.read_at ?? 0
  const { rows, news } = useMemo(() => {
    // A refetch after a save is newer than the last poll and wins.
    const isYounger = !pages.isPlaceholderData && start.dataUpdatedAt > readAt
    const recent = isYounger ? (start.data?.data ?? []) : []
    const changed = new Map(recent.map((row) => [list.keyOf(row), row]))
    return {
      rows: changed.size === 0 ? loaded : loaded.map((row) => changed.get(list.keyOf(row)) ?? row),
      news: recent.filter((row) => !loadedKeys.has(list.keyOf(row)) && (list.isNews?.(row) ?? true)).length,
    }
  }, [loaded, loadedKeys, start.data, start.dataUpdatedAt, readAt, pages.isPlaceholderData, list])

  const showNews = useCallback(() => {
    // Refetches one page, not all loaded ones.
    client.setQueryData<InfiniteData<TimedPage<Row>, Position>>(
      key,
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: [undefined] },
    )
    void client.invalidateQueries({ queryKey: key })
  }, [client, key])

  return {
    rows,
    total: total.data,
    news,
    /** The poll reached its limit: there may be more new rows. */
    newsAreMore: news >= NEWS_ROWS,
    showNews,
    error: pages.error,
    isFirstLoad: pages.isPending,
    /** Filters changed and old rows are still shown, or rows are being refetched. */
    isRefreshing: pages.isPlaceholderData || (pages.isRefetching && !pages.isFetchingNextPage),
    isLoadingMore: pages.isFetchingNextPage,
    isMoreFailed: pages.isFetchNextPageError,
    hasMore: pages.hasNextPage && !pages.isPlaceholderData,
    loadMore: pages.fetchNextPage,
    retry: pages.refetch,
  }
}
