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

/** How often the start of the list is looked at for news, in milliseconds. */
const NEWS_EVERY_MS = 30_000
/** Rows looked at for news. */
const NEWS_ROWS = 50
/**
 * The rows of a list as far as they are loaded, their total, and what has arrived since. Loaded rows never move by
 * themselves: news are counted until the reader asks for them, but rows on screen take over their own changes.
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
    // The first look would repeat what has just been loaded.
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
    // What was read again after a save is younger than the last look for news, and stands.
    const isYounger = !pages.isPlaceholderData && start.dataUpdatedAt > readAt
    const recent = isYounger ? (start.data?.data ?? []) : []
    const changed = new Map(recent.map((row) => [list.keyOf(row), row]))
    return {
      rows: changed.size === 0 ? loaded : loaded.map((row) => changed.get(list.keyOf(row)) ?? row),
      news: recent.filter((row) => !loadedKeys.has(list.keyOf(row)) && (list.isNews?.(row) ?? true)).length,
    }
  }, [loaded, loadedKeys, start.data, start.dataUpdatedAt, readAt, pages.isPlaceholderData, list])

  const showNews = useCallback(() => {
    // One page is read again, not all that had been loaded.
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
    /** The look for news ended at its limit: there may be more than counted. */
    newsAreMore: news >= NEWS_ROWS,
    showNews,
    error: pages.error,
    isFirstLoad: pages.isPending,
    /** Filters changed and the rows on screen still belong to the old ones, or rows are read again. */
    isRefreshing: pages.isPlaceholderData || (pages.isRefetching && !pages.isFetchingNextPage),
    isLoadingMore: pages.isFetchingNextPage,
    isMoreFailed: pages.isFetchNextPageError,
    hasMore: pages.hasNextPage && !pages.isPlaceholderData,
    loadMore: pages.fetchNextPage,
    retry: pages.refetch,
  }
}
