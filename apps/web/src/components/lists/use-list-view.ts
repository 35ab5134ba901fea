import type { Page } from '@custodia/contract'
import { useElementSize, useMediaQuery } from '@mantine/hooks'
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { type PointerEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { readAgain } from '../../api/after-change.ts'
import { MAX_ROWS } from '../../api/all-pages.ts'
import { getKey, repeatedRead } from '../../api/call-keys.ts'
import { keepKeysForPage } from '../../ui/keep-keys.ts'
import { type ColumnSettings, ROW_HEIGHTS } from './column-settings.ts'
import type { ListDefinition, Neighbours } from './list-definition.ts'
import type { GridHandle } from './list-grid.tsx'
import { getSort } from './list-header.tsx'
import {
  keepLeftSearch,
  keepOpenRow,
  keepPlace,
  keepSeen,
  openRowIndex,
  getPlace,
  useOpenKey,
  useViewMode,
} from './list-memory.ts'
import { canonical, type ChangeSearch, getFilters, type ListSearch } from './list-search.ts'
import { atLeast, POLLED, untilPoll, useListTotal, wholeTotal } from './list-total.ts'
import { type Position, rowsQuery, type TimedPage } from './rows-query.ts'
import { useSelection } from './selection.ts'
import { useListColumns } from './use-list-columns.ts'

/** Poll interval for new rows, in milliseconds. */
const NEWS_EVERY_MS = 30_000
/**
 * Loaded rows of a list, total, and new rows. Loaded rows never move: new rows are counted until the user inserts
 * them; visible rows update in place.
 */
function useListRows<Row, Query>(list: ListDefinition<Row, Query>, search: ListSearch) {
  const client = useQueryClient()
  const filters = canonical(search)
  const newsEvery = list.newsEveryMs ?? NEWS_EVERY_MS
  const key = useMemo(() => getKey(list.call, list.name, filters), [list.call, list.name, filters])

  const pages = useInfiniteQuery(rowsQuery(list, search))
  const start = useQuery({
    queryKey: [...key, 'start'],
    queryFn: async (context): Promise<Page<Row>> => {
      const query = list.getQuery(search, Date.now())
      const page = await list.readPage(query, { limit: POLLED }, repeatedRead(context))
      const before = client.getQueryData<Page<Row>>(context.queryKey)?.data.slice(0, POLLED)
      if (JSON.stringify(before) !== JSON.stringify(page.data)) readAgain(...key, 'total')
      return page
    },
    // The first poll would repeat the initial load.
    enabled: !list.isUnchanged && pages.isSuccess && !pages.isPlaceholderData,
    initialData: () => (pages.isPlaceholderData ? undefined : pages.data?.pages[0]),
    initialDataUpdatedAt: pages.dataUpdatedAt,
    staleTime: newsEvery,
    refetchInterval: ({ state }) => untilPoll(newsEvery, state),
    meta: { isWatch: true },
  })

  const loaded = useMemo(() => pages.data?.pages.flatMap((page) => page.data) ?? [], [pages.data])
  const loadedKeys = useMemo(() => new Set(loaded.map(list.getKey)), [loaded, list])
  const total = useListTotal(list, search, {
    key,
    isLoaded: pages.isSuccess && !pages.isPlaceholderData,
  })
  const readAt = pages.data?.pages[0]?.read_at ?? 0
  const { rows, news } = useMemo(() => {
    // A refetch after a save is newer than the last poll and wins.
    const isYounger = !pages.isPlaceholderData && start.dataUpdatedAt > readAt
    const recent = isYounger ? (start.data?.data ?? []) : []
    const changed = new Map(recent.map((row) => [list.getKey(row), row]))
    return {
      rows: changed.size === 0 ? loaded : loaded.map((row) => changed.get(list.getKey(row)) ?? row),
      news: recent.filter((row) => !loadedKeys.has(list.getKey(row))).length,
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
    total: total && atLeast(total, loaded.length, pages.hasNextPage),
    news,
    /** The poll reached its limit: there may be more new rows. */
    newsAreMore: news >= POLLED,
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
/** Likely next rows: two after the open one, and the one before it. */
const LIKELY = [1, 2, -1] as const
/** Interactive elements in a row that do not open it. */
const OTHERWISE = '[data-pick], [data-peek], button'

/**
 * Opens a pressed row where the browser fires no click, because rows moved between press and release.
 * @param getRow a row by its key, while it exists
 * @param open `isNewTab`: in another tab; `isLink`: its link was pressed
 * @returns press handler for a stable container of the rows
 */
function usePressedRow<Row>(
  getRow: (key: string | undefined) => Row | undefined,
  open: (row: Row, pressed: { isNewTab: boolean; isLink: boolean }) => void,
) {
  return ({ nativeEvent: pressed }: PointerEvent) => {
    const { button, ctrlKey, metaKey, shiftKey, pointerType, target, clientX, clientY } = pressed
    const key =
      target instanceof Element && target.closest(OTHERWISE) === null
        ? target.closest<HTMLElement>('[data-key]')?.dataset.key
        : undefined
    const row = getRow(key)
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
        if (isMet || getSelection()?.type === 'Range') return
        open(row, { isNewTab: ctrlKey || metaKey, isLink: (target as Element).closest('a') !== null })
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
  const filters = canonical(search)
  const data = useListRows(list, search)
  const { rows } = data
  const keys = useMemo(() => rows.map(list.getKey), [rows, list])
  const { goTo, change } = useAddress(list)
  const shown = useWithoutPreview(search)
  const { total } = data
  const isReadWhole = total !== undefined && !total.is_capped && total.total < MAX_ROWS
  const sort = getSort(list, shown, change, isReadWhole)
  const columns = useListColumns(list, rows, sort.by)
  const size = useListSize(columns.settings, list.isTall, search.preview !== undefined)
  const loadMore = () => {
    if (data.hasMore && !data.isLoadingMore && !data.isMoreFailed) void data.loadMore()
  }
  const openKey = useOpenKey(search, keys)
  const place = useListPlace(list.name, filters, { keys, loadMore, openKey })
  const gridRef = useRef<GridHandle>(null)
  const setPreview = (key: string | undefined) => change({ preview: key }, { replace: true })
  const onCurrent = (index: number) => {
    const [from, to] = [keys[place.current], keys[index]]
    place.setCurrent(index)
    if (openKey === undefined || size.isNarrow || to === undefined || to === openKey) return
    if (from !== undefined) list.onFollow?.(from, to)
    setPreview(to)
  }
  const choose =
    list.isSideBySide && list.Preview && !size.isNarrow
      ? (key: string | undefined) => key !== openKey && setPreview(key)
      : undefined
  const togglePreview = (index: number) => {
    if (list.Preview !== undefined) setPreview(openKey === keys[index] ? undefined : keys[index])
  }
  const hear = (index: number) => {
    const key = keys[index]
    if (list.hear === undefined || key === undefined) return
    list.hear(key)
    if (openKey !== key) setPreview(key)
  }
  const show = (key: string) => {
    gridRef.current?.moveTo(keys.indexOf(key))
    // The sheet of a narrow screen does not follow the cursor.
    if (size.isNarrow) setPreview(key)
  }
  const [look, setLook] = useViewMode(list)
  return {
    search: shown,
    filters,
    isFiltered: Object.keys(getFilters(search)).length > 0,
    data,
    rows,
    keys,
    sort,
    columns,
    size,
    place,
    look,
    setLook,
    selection: useSelection(
      keys,
      `${list.name} ${filters}`,
      // The last filters' total stays until the new one is counted; loaded rows count themselves.
      list.actsOnMatching !== 'first'
        ? undefined
        : data.hasMore
          ? data.total && (wholeTotal(data.total) ?? Infinity)
          : keys.length,
    ),
    goTo,
    change,
    loadMore,
    onCurrent,
    openKey,
    setPreview,
    togglePreview,
    hear,
    choose,
    neighbours: { ...getNeighbours(rows, keys, openKey), show },
    opening: useOpenRow(list, { search, shown }, { keys, data, setPreview, choose, leave: place.leave }),
    /** Rows or tiles, once they show. */
    gridRef,
    focusRef: useRef<boolean | string>(false),
  }
}

/** Navigation within the list. */
function useAddress<Row, Query>(list: ListDefinition<Row, Query>) {
  const navigate = useNavigate()
  const router = useRouter()
  const goTo = useCallback(
    (next: ListSearch, replace = false) =>
      void navigate({ ...list.address(next), replace, resetScroll: false }),
    [navigate, list],
  )
  // The latest address counts: an unchanged function keeps the controls from rendering with each row.
  const change: ChangeSearch = useCallback(
    (changes, how) => goTo({ ...list.parse(router.latestLocation.search), ...changes }, how?.replace),
    [goTo, list, router],
  )
  return { goTo, change }
}

/** The address without its preview; the same object while the rest is the same. */
function useWithoutPreview(search: ListSearch): ListSearch {
  const text = JSON.stringify({ ...search, preview: undefined })
  return useMemo(() => JSON.parse(text) as ListSearch, [text])
}

/** What the preview knows of the rows around it. */
function getNeighbours<Row>(
  rows: readonly Row[],
  keys: readonly string[],
  openKey: string | undefined,
): Omit<Neighbours<Row>, 'show'> {
  const at = openKey === undefined ? -1 : keys.indexOf(openKey)
  return {
    likely: at < 0 ? [] : LIKELY.flatMap((by) => keys[at + by] ?? []),
    next: (meets) => {
      const found = at < 0 ? -1 : rows.findIndex((row, index) => index > at && meets(row))
      const key = keys[found]
      return key === undefined ? undefined : { key, passed: found - at - 1 }
    },
  }
}

/** Pixels of a second line. */
const SECOND_LINE = 18

/** Pixels that the navigation, the margins and a preview take from the window. */
const AROUND_LIST = 688

/** Width of a list, and the form of its rows. */
function useListSize(
  { density }: Pick<ColumnSettings, 'density'>,
  isTall: true | 'stacked' | undefined,
  hasPreview: boolean,
) {
  const isNarrow = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false })
  const { ref: frame, width } = useElementSize()
  const isStacked =
    width === 0 ? isNarrow || (hasPreview && innerWidth < STACKED_BELOW + AROUND_LIST) : width < STACKED_BELOW
  const hasTwoLines = isTall === true || (isTall === 'stacked' && isStacked)
  const rowHeight = (isStacked ? ROW_HEIGHTS.stacked : ROW_HEIGHTS[density]) + (hasTwoLines ? SECOND_LINE : 0)
  return { isNarrow, frame, width, isStacked, rowHeight }
}

/** Cursor and scroll position of a list, kept for the user's return. */
function useListPlace(
  name: string,
  filters: string,
  rows: { keys: readonly string[]; loadMore: () => void; openKey: string | undefined },
) {
  const { keys, loadMore, openKey } = rows
  const place = getPlace(name, filters)
  const shown = `${name} ${filters}`
  const [cursor, setCursor] = useState({ shown, index: place?.current ?? 0 })
  const current = Math.min(
    cursor.shown === shown ? cursor.index : (place?.current ?? 0),
    Math.max(0, keys.length - 1),
  )
  // Row of the return; earlier rows are fetched again if they left the cache.
  const [seen, setSeen] = useState(() => ({
    shown,
    key: place === undefined ? openKey : place.seen,
    index: place?.current ?? openRowIndex(openKey),
  }))
  const openIndex = openKey === undefined ? -1 : keys.indexOf(openKey)
  useEffect(() => {
    if (openKey !== undefined && openIndex >= 0) keepOpenRow(openKey, openIndex)
  }, [openKey, openIndex])
  const seenIndex = seen.shown === shown && seen.key !== undefined ? keys.indexOf(seen.key) : undefined
  const isMissing = seenIndex === -1 && keys.length <= seen.index
  useEffect(() => {
    if (isMissing) loadMore()
  })
  const isLeaving = useRef(false)
  return {
    current,
    /** The page of a row opens: the user returns to this row. */
    leave: (key: string) => {
      isLeaving.current = true
      keepSeen(name, filters, { key, index: keys.indexOf(key) })
    },
    setCurrent: (index: number) => {
      isLeaving.current = false
      setCursor({ shown, index })
      keepPlace(name, filters, { offset: getPlace(name, filters)?.offset ?? 0, current: index })
    },
    /** Row that the user returns from, once it is loaded. */
    arrival: seenIndex === -1 ? undefined : seenIndex,
    onArrived: () => setSeen({ shown, key: undefined, index: 0 }),
    initialOffset: place?.offset ?? 0,
    onScrolled: (offset: number) => {
      // The last key may still scroll the list.
      if (!isLeaving.current) keepPlace(name, filters, { offset, current })
    },
  }
}

/** Addresses of rows, each built once: rows render with every key. */
function getAddresses<Row, Query>(
  { detail }: ListDefinition<Row, Query>,
  search: ListSearch,
  router: ReturnType<typeof useRouter>,
): (row: Row) => string | undefined {
  const known = new Map<Row, string>()
  return (row) => {
    if (detail === undefined) return undefined
    const target = detail(row, search) as Parameters<typeof router.buildLocation>[0]
    const address = known.get(row) ?? router.buildLocation(target).publicHref
    known.set(row, address)
    return address
  }
}

/** Opens rows: their page, their drawer or their preview. */
function useOpenRow<Row, Query>(
  list: ListDefinition<Row, Query>,
  { search, shown }: { search: ListSearch; shown: ListSearch },
  state: {
    keys: readonly string[]
    data: Rows<Row, Query>
    setPreview: (key: string | undefined) => void
    choose: ((key: string | undefined) => unknown) | undefined
    leave: (key: string) => void
  },
) {
  const { keys, data, setPreview, choose, leave } = state
  const navigate = useNavigate()
  const router = useRouter()
  const open = (row: Row | undefined) => {
    if (row === undefined) return
    if (list.detail === undefined) return setPreview(list.Preview && list.getKey(row))
    const target = list.detail(row, search)
    const listUrl = router.latestLocation.publicHref
    list.beforeOpen?.({ keys, hasMore: data.hasMore, total: data.total, search, listUrl })
    // A drawer keeps the list's position.
    const isPage = target.to !== list.address({}).to
    void navigate({ ...target, resetScroll: isPage, state: { isFromList: isPage } })
    if (!isPage) return
    leave(list.getKey(row))
    keepLeftSearch(list.address({}).to, search)
    keepKeysForPage(router)
  }
  const getHref = useMemo(() => getAddresses(list, shown, router), [list, shown, router])
  const openInTab = (row: Row | undefined) => {
    const href = row && getHref(row)
    if (href !== undefined) window.open(href, '_blank', 'noopener')
  }
  const onPress = usePressedRow(
    (key) => data.rows.find((row) => list.getKey(row) === key),
    (row, { isNewTab, isLink }) => {
      if (isNewTab) openInTab(row)
      else if (choose && !isLink) choose(list.getKey(row))
      else open(row)
    },
  )
  return { open, openInTab, getHref, onPress }
}
