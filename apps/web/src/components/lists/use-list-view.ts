import { useElementSize, useMediaQuery } from '@mantine/hooks'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { type PointerEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type ColumnSettings, csvColumns, ROW_HEIGHTS } from './column-settings.ts'
import type { ListDefinition } from './list-definition.ts'
import type { GridHandle } from './list-grid.tsx'
import { sortOf } from './list-header.tsx'
import { keepPlace, placeOf, useViewMode } from './list-memory.ts'
import { canonical, type ChangeSearch, filtersOf, type ListSearch } from './list-search.ts'
import { useListColumns } from './use-list-columns.ts'
import { keyOf, repeatedRead } from '../../api/call-keys.ts'
import type { Page } from '@custodia/contract'
import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type Position, rowsQuery, type TimedPage } from './rows-query.ts'
import { useSelection } from './selection.ts'

/** Poll interval for new rows, in milliseconds. */
const NEWS_EVERY_MS = 30_000
/** Rows per poll. */
const NEWS_ROWS = 50
/**
 * Loaded rows of a list, total, and new rows. Loaded rows never move: new rows are counted until the user inserts
 * them; visible rows update in place.
 */
function useListRows<Row, Query>(list: ListDefinition<Row, Query>, search: ListSearch) {
  const client = useQueryClient()
  const filters = canonical(search)
  const newsEvery = list.newsEveryMs ?? NEWS_EVERY_MS
  const key = useMemo(() => keyOf(list.call, list.name, filters), [list.call, list.name, filters])

  const pages = useInfiniteQuery(rowsQuery(list, search))
  const total = useQuery({
    queryKey: [...key, 'total'],
    // The rows are the view on record, so they come first.
    queryFn: ({ signal }) => list.readTotal(list.queryOf(search, Date.now()), { signal, is_refresh: true }),
    enabled: pages.isSuccess && !pages.isPlaceholderData,
    placeholderData: keepPreviousData,
    refetchInterval: list.isUnchanged ? false : NEWS_EVERY_MS,
    meta: { isWatch: true },
  })
  const start = useQuery({
    queryKey: [...key, 'start'],
    queryFn: (context): Promise<Page<Row>> =>
      list.readPage(list.queryOf(search, Date.now()), { limit: NEWS_ROWS }, repeatedRead(context)),
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
      news: recent.filter((row) => !loadedKeys.has(list.keyOf(row))).length,
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

/** Pointer movement in pixels that still counts as a click. */
const STILL = 6
/** Interactive elements in a row that do not open it. */
const OTHERWISE = '[data-pick], [data-peek], button'

/**
 * Opens a pressed row where the browser fires no click, because rows moved between press and release.
 * @param rowOf a row by its key, while it exists
 * @param open `isNewTab`: in another tab
 * @returns press handler for a stable container of the rows
 */
function usePressedRow<Row>(
  rowOf: (key: string | undefined) => Row | undefined,
  open: (row: Row, isNewTab: boolean) => void,
) {
  return ({ nativeEvent: pressed }: PointerEvent) => {
    const { button, ctrlKey, metaKey, shiftKey, pointerType, target, clientX, clientY } = pressed
    const key =
      target instanceof Element && target.closest(OTHERWISE) === null
        ? target.closest<HTMLElement>('[data-key]')?.dataset.key
        : undefined
    const row = rowOf(key)
    if (row === undefined || button !== 0 || shiftKey || pointerType === 'touch') return
    const onRelease = (released: globalThis.PointerEvent) => {
      if (Math.hypot(released.clientX - clientX, released.clientY - clientY) > STILL) return
      let isMet = false
      const onClick = (click: globalThis.MouseEvent) => {
        isMet =
          click.target instanceof Element &&
          click.target.closest<HTMLElement>('[data-key]')?.dataset.key === key
      }
      document.addEventListener('click', onClick, { capture: true, once: true })
      // The click event follows the release immediately.
      setTimeout(() => {
        document.removeEventListener('click', onClick, true)
        if (!isMet && getSelection()?.type !== 'Range') open(row, ctrlKey || metaKey)
      })
    }
    document.addEventListener('pointerup', onRelease, { capture: true, once: true })
  }
}

/** List width in pixels below which rows are stacked. */
const STACKED_BELOW = 620

export type ListState<Row, Query> = ReturnType<typeof useListView<Row, Query>>
type Rows<Row, Query> = ReturnType<typeof useListRows<Row, Query>>

/** State of a list on a page: rows, columns, cursor, selection, preview, and how a row opens. */
export function useListView<Row, Query>(list: ListDefinition<Row, Query>, search: ListSearch) {
  const navigate = useNavigate()
  const filters = canonical(search)
  const data = useListRows(list, search)
  const { rows } = data
  const keys = useMemo(() => rows.map(list.keyOf), [rows, list])
  const goTo = useCallback(
    (next: ListSearch, replace = false) =>
      void navigate({ ...list.address(next), replace, resetScroll: false }),
    [navigate, list],
  )
  const change: ChangeSearch = (changes, how) => goTo({ ...search, ...changes }, how?.replace)
  const sort = sortOf(list, search, change)
  const columns = useListColumns(list, rows, sort?.by)
  const size = useListSize(columns.settings)
  const loadMore = () => {
    if (data.hasMore && !data.isLoadingMore && !data.isMoreFailed) void data.loadMore()
  }
  const place = useListPlace(list.name, filters, keys, loadMore)

  const openKey = typeof search.preview === 'string' ? search.preview : undefined
  const setPreview = (key: string | undefined) => change({ preview: key }, { replace: true })
  const onCurrent = (index: number) => {
    place.setCurrent(index)
    // An open preview follows the cursor.
    if (openKey !== undefined && !size.isNarrow && keys[index] !== undefined && keys[index] !== openKey)
      setPreview(keys[index])
  }
  const togglePreview = (index: number) => {
    if (list.Preview !== undefined) setPreview(openKey === keys[index] ? undefined : keys[index])
  }
  const [look, setLook] = useViewMode(list)
  return {
    search,
    filters,
    isFiltered: Object.keys(filtersOf(search)).length > 0,
    data,
    rows,
    keys,
    sort,
    columns,
    size,
    place,
    look,
    setLook,
    selection: useSelection(keys, filters),
    goTo,
    change,
    loadMore,
    onCurrent,
    openKey,
    setPreview,
    togglePreview,
    opening: useOpenRow(list, search, { keys, data, setPreview }),
    /** Rows or tiles, once they show. */
    gridRef: useRef<GridHandle>(null),
    /** Whether a row has the focus, also while rows are replaced. */
    focusRef: useRef(false),
  }
}

/** Width of a list, and the form of its rows. */
function useListSize({ density }: Pick<ColumnSettings, 'density'>) {
  const isNarrow = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false })
  const { ref: frame, width } = useElementSize()
  const isStacked = width === 0 ? isNarrow : width < STACKED_BELOW
  const rowHeight = isStacked ? ROW_HEIGHTS.stacked : ROW_HEIGHTS[density]
  return { isNarrow, frame, width, isStacked, rowHeight }
}

/** Cursor and scroll position of a list, kept for the user's return. */
function useListPlace(name: string, filters: string, keys: readonly string[], loadMore: () => void) {
  const place = placeOf(name, filters)
  const [cursor, setCursor] = useState({ filters, index: place?.current ?? 0 })
  const current = Math.min(
    cursor.filters === filters ? cursor.index : (place?.current ?? 0),
    Math.max(0, keys.length - 1),
  )
  // Row of the return; earlier rows are fetched again if they left the cache.
  const [seen, setSeen] = useState({ filters, key: place?.seen, index: place?.current ?? 0 })
  const seenIndex = seen.filters === filters && seen.key !== undefined ? keys.indexOf(seen.key) : undefined
  const isMissing = seenIndex === -1 && keys.length <= seen.index
  useEffect(() => {
    if (isMissing) loadMore()
  })
  return {
    current,
    setCurrent: (index: number) => {
      setCursor({ filters, index })
      keepPlace(name, filters, { offset: placeOf(name, filters)?.offset ?? 0, current: index })
    },
    /** Row that the user returns from, once it is loaded. */
    arrival: seenIndex === -1 ? undefined : seenIndex,
    onArrived: () => setSeen({ filters, key: undefined, index: 0 }),
    initialOffset: place?.offset ?? 0,
    onScrolled: (offset: number) => keepPlace(name, filters, { offset, current }),
  }
}

/** Opens rows: their page, their drawer or their preview. */
function useOpenRow<Row, Query>(
  list: ListDefinition<Row, Query>,
  search: ListSearch,
  state: { keys: readonly string[]; data: Rows<Row, Query>; setPreview: (key: string | undefined) => void },
) {
  const { keys, data, setPreview } = state
  const navigate = useNavigate()
  const router = useRouter()
  const open = (row: Row | undefined) => {
    if (row === undefined) return
    if (list.detail === undefined) return setPreview(list.Preview && list.keyOf(row))
    const target = list.detail(row, search)
    const listUrl = router.latestLocation.publicHref
    list.beforeOpen?.({ keys, hasMore: data.hasMore, total: data.total, search, listUrl })
    // A drawer keeps the list's position.
    void navigate({ ...target, resetScroll: target.to !== list.address({}).to })
  }
  const hrefOf = useCallback(
    (row: Row) =>
      list.detail &&
      router.buildLocation(list.detail(row, search) as Parameters<typeof router.buildLocation>[0]).publicHref,
    [router, list, search],
  )
  const openInTab = (row: Row | undefined) => {
    const href = row && hrefOf(row)
    if (href !== undefined) window.open(href, '_blank', 'noopener')
  }
  const onPress = usePressedRow(
    (key) => data.rows.find((row) => list.keyOf(row) === key),
    (row, isNewTab) => (isNewTab ? openInTab(row) : open(row)),
  )
  return { open, openInTab, hrefOf, onPress }
}

/** Exports of a list as CSV files. Their code loads on demand. */
export function exportsOf<Row, Query>(
  list: ListDefinition<Row, Query>,
  { search, data, rows, columns, selection }: ListState<Row, Query>,
) {
  const csv = csvColumns(list, columns.chosen)
  return {
    exportAll: async () => {
      const query = (list.queryOfFile ?? list.queryOf)(search, Date.now())
      const { exportPages } = await import('./export-csv.tsx')
      await exportPages(
        list.call,
        (paging, signal) => list.readPage(query, paging, { signal }),
        csv,
        list.kind ?? list.name,
        list.queryOfFile === undefined ? data.total?.total : undefined,
      )
    },
    exportSelection: async () => {
      const chosen = rows.filter((row) => selection.selection.keys.has(list.keyOf(row)))
      const { exportRows } = await import('./export-csv.tsx')
      await exportRows(list.call, chosen, csv, `${list.kind ?? list.name}-selection`)
    },
  }
}
