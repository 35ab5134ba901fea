import type { Page } from '@custodia/contract'
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import type { ListDefinition } from './list-definition.ts'
import { canonical, type ListSearch } from './list-search.ts'

/** Rows per page: enough for the tallest screen, small enough to arrive quickly. */
const PAGE_ROWS = 100
/** How often the start of the list is looked at for news, in milliseconds. */
const NEWS_EVERY_MS = 30_000
/** Rows looked at for news. */
const NEWS_ROWS = 50
/** A list that was left keeps its rows this long, so that the way back finds it as it was. */
const KEPT_MS = 30 * 60_000

/**
 * The rows of a list as far as they are loaded, their total, and what has arrived since. Loaded rows never move by
 * themselves: news are counted until the reader asks for them, but rows on screen take over their own changes.
 */
export function useListRows<Row, Query>(list: ListDefinition<Row, Query>, search: ListSearch) {
  const filters = canonical(search)
  // Relative dates are resolved when filters change, or when news are shown.
  const [opened, setOpened] = useState({ filters, at: Date.now() })
  const at = opened.filters === filters ? opened.at : Date.now()
  if (opened.filters !== filters) setOpened({ filters, at })
  const query = useMemo(
    () => list.queryOf(Object.fromEntries(JSON.parse(filters) as [string, string][]), at),
    [list, filters, at],
  )
  const key = ['list', list.name, query]

  const pages = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      list.readPage(query, { limit: PAGE_ROWS, last_key: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<Row>) => page.last_key,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: KEPT_MS,
  })
  const total = useQuery({
    queryKey: ['list total', list.name, query],
    queryFn: ({ signal }) => list.readTotal(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: NEWS_EVERY_MS,
    meta: { silent: true },
  })
  const start = useQuery({
    queryKey: ['list start', list.name, query],
    queryFn: ({ signal }) => list.readPage(query, { limit: NEWS_ROWS }, signal),
    // The first look would repeat what has just been loaded.
    enabled: pages.isSuccess,
    initialData: () => pages.data?.pages[0],
    initialDataUpdatedAt: pages.dataUpdatedAt,
    staleTime: NEWS_EVERY_MS,
    refetchInterval: NEWS_EVERY_MS,
    meta: { silent: true },
  })

  const loaded = useMemo(() => pages.data?.pages.flatMap((page) => page.data) ?? [], [pages.data])
  const loadedKeys = useMemo(() => new Set(loaded.map(list.keyOf)), [loaded, list])
  const { rows, news } = useMemo(() => {
    const recent = pages.isPlaceholderData ? [] : (start.data?.data ?? [])
    const changed = new Map(recent.map((row) => [list.keyOf(row), row]))
    return {
      rows: changed.size === 0 ? loaded : loaded.map((row) => changed.get(list.keyOf(row)) ?? row),
      news: recent.filter((row) => !loadedKeys.has(list.keyOf(row))).length,
    }
  }, [loaded, loadedKeys, start.data, pages.isPlaceholderData, list])

  const client = useQueryClient()
  const showNews = useCallback(() => {
    setOpened({ filters, at: Date.now() })
    void client.resetQueries({ queryKey: ['list', list.name] })
    void client.invalidateQueries({ queryKey: ['list total', list.name] })
  }, [client, list.name, filters])

  return {
    query,
    rows,
    total: total.data,
    /** Rows that have arrived since; `newsAreMore` when there may be more than counted. */
    news,
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
