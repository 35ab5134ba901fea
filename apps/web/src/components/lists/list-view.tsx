import { useLingui } from '@lingui/react/macro'
import type { Total } from '@custodia/contract'
import { Paper } from '@mantine/core'
import { useElementSize, useMediaQuery } from '@mantine/hooks'
import { useNavigate, useRouter } from '@tanstack/react-router'
import {
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { keepKeys } from '../../ui/keep-keys.ts'
import { afterPaint } from '../../ui/after-paint.ts'
import { useSingleKeys } from '../../ui/use-keys.ts'
import { csvColumns, ROW_HEIGHTS } from './column-settings.ts'
import { WEEK } from './date-range.ts'
import type { ListDefinition } from './list-definition.ts'
import { ListFooter, NewsBar } from './list-footer.tsx'
import { type GridHandle, ListGrid } from './list-grid.tsx'
import classes from './list-view.module.css'
import gridClasses from './list-grid.module.css'
import { keepPlace, placeOf, useViewMode } from './list-memory.ts'
import { canonical, type ChangeSearch, filtersOf, type ListSearch } from './list-search.ts'
import { ControlsPending, ListFailure, NoRows, OfflineBanner, RowSkeletons } from './list-states.tsx'
import { sortOf } from './list-header.tsx'
import type TileGridOfRows from './tile-grid.tsx'
import { useListColumns } from './use-list-columns.ts'
import { useListRows } from './use-list-rows.ts'
import { showHidden, useHiddenColumns } from './use-hidden-columns.ts'
import { usePressedRow } from './use-pressed-row.ts'
import { useSelection } from './use-selection.ts'

/** Controls render after the rows: they take as long as the rows, which matter more. */
const ListControls = lazy(async () => {
  const controls = await import('./list-controls.tsx')
  await afterPaint()
  return controls
})
const PreviewPanel = lazy(() => import('./preview-panel.tsx'))
const TileGrid = lazy(() => import('./tile-grid.tsx')) as unknown as typeof TileGridOfRows

/** List width in pixels below which rows are stacked. */
const STACKED_BELOW = 620

/**
 * A list on a page or in a tab: views, filters, rows, preview, selection and export. Filters live in the address;
 * `search` must have passed the list's schema.
 */
export function ListView<Row, Query>({
  list,
  search,
  head,
  hasPageKeys = false,
}: {
  list: ListDefinition<Row, Query>
  search: ListSearch
  /** Above the list; receives the total. */
  head?: (total: Total | undefined) => ReactNode
  /** Single-key shortcuts go to this list; at most one list per page. */
  hasPageKeys?: boolean
}) {
  const { i18n } = useLingui()
  const navigate = useNavigate()
  const router = useRouter()
  const title = i18n._(list.title)
  const filters = canonical(search)
  const isFiltered = Object.keys(filtersOf(search)).length > 0

  const data = useListRows(list, search)
  const { rows } = data
  const keys = useMemo(() => rows.map(list.keyOf), [rows, list])
  const sort = sortOf(list, search, (next) => change(next))
  const columns = useListColumns(list, rows, sort?.by)
  const selection = useSelection(keys, filters)
  const [look, setLook] = useViewMode(list)

  const isNarrow = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false })
  const { ref: frame, width } = useElementSize()
  const isStacked = width === 0 ? isNarrow : width < STACKED_BELOW
  const rowHeight = isStacked ? ROW_HEIGHTS.stacked : ROW_HEIGHTS[columns.settings.density]

  const goTo = useCallback(
    (next: ListSearch, replace = false) =>
      void navigate({ ...list.address(next), replace, resetScroll: false }),
    [navigate, list],
  )
  const change: ChangeSearch = (changes, how) => goTo({ ...search, ...changes }, how?.replace)
  const hasFocus = useRef(false)
  const clear = () => {
    // The button disappears with its empty text; rows take its place.
    hasFocus.current = true
    goTo({})
  }

  const [cursor, setCursor] = useState({ filters, index: placeOf(list.name, filters)?.current ?? 0 })
  const place = placeOf(list.name, filters)
  const current = Math.min(
    cursor.filters === filters ? cursor.index : (place?.current ?? 0),
    Math.max(0, rows.length - 1),
  )
  // Row of the return; earlier rows are fetched again if they left the cache.
  const [seen, setSeen] = useState({ filters, key: place?.seen, index: place?.current ?? 0 })
  const seenIndex = seen.filters === filters && seen.key !== undefined ? keys.indexOf(seen.key) : undefined
  const isMissing = seenIndex === -1 && rows.length <= seen.index
  const loadMore = () => {
    if (data.hasMore && !data.isLoadingMore && !data.isMoreFailed) void data.loadMore()
  }
  useEffect(() => {
    if (isMissing) loadMore()
  })

  const openKey = typeof search.preview === 'string' ? search.preview : undefined
  const setPreview = (key: string | undefined) => change({ preview: key }, { replace: true })
  const onCurrent = (index: number) => {
    setCursor({ filters, index })
    keepPlace(list.name, filters, { offset: placeOf(list.name, filters)?.offset ?? 0, current: index })
    // An open preview follows the cursor.
    if (openKey !== undefined && !isNarrow && keys[index] !== undefined && keys[index] !== openKey)
      setPreview(keys[index])
  }
  const onScrolled = (offset: number) => keepPlace(list.name, filters, { offset, current })
  const togglePreview = (index: number) => {
    if (list.Preview !== undefined) setPreview(openKey === keys[index] ? undefined : keys[index])
  }

  const openRow = (row: Row | undefined) => {
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
    (key) => rows.find((row) => list.keyOf(row) === key),
    (row, isNewTab) => (isNewTab ? openInTab(row) : openRow(row)),
  )

  const grid = useRef<GridHandle>(null)
  const view = useRef<HTMLDivElement>(null)
  const partOf = (selector: string) => view.current?.querySelector<HTMLElement>(selector)
  /** Keys typed before the filters load go to them. */
  const focusIn = (selector: string) =>
    keepKeys(() => partOf(selector) ?? (partOf('[data-pending]') ? undefined : document.body))
  const press = (key: string) => {
    if (grid.current) grid.current.press(key)
    else if (data.isFirstLoad) keepKeys(() => (partOf('[aria-busy="true"]') ? undefined : document.body), key)
  }
  const leaveSearch = (event: KeyboardEvent) => {
    const search = event.target
    if (!(search instanceof HTMLElement) || !search.matches('[data-list-search]')) return
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    if (grid.current) return grid.current.focus()
    // Rows may still arrive.
    hasFocus.current = true
    search.blur()
  }
  const hidden = useHiddenColumns(
    view,
    `${columns.shown.length} ${width} ${isStacked} ${rows.length > 0} ${filters}`,
  )
  const keysOfPage = {
    j: () => press('j'),
    k: () => press('k'),
    // An action on a row moves the cursor there.
    x: () => {
      grid.current?.focus()
      selection.toggle(current)
    },
    o: () => {
      grid.current?.focus()
      togglePreview(current)
    },
    p: () => {
      const key = keys[current]
      if (list.hear === undefined || key === undefined) return
      grid.current?.focus()
      list.hear(key)
      if (openKey !== key) setPreview(key)
    },
    w: () => {
      if (list.dates === undefined) return
      // The typed search counts, also while its rows load.
      const latest = list.parse(router.latestLocation.search)
      const isWeek = latest.from === WEEK && latest.to === undefined
      goTo({ ...latest, from: isWeek ? undefined : WEEK, to: undefined })
    },
    f: () => focusIn('[data-list-filter]'),
    '/': () => focusIn('[data-list-search]'),
  }
  useSingleKeys(hasPageKeys ? keysOfPage : {})

  const { news, showNews } = data
  useEffect(() => {
    if (news > 0 && rows.length === 0) showNews()
  }, [news, rows.length, showNews])

  // Export code loads on demand.
  const csv = csvColumns(list, columns.chosen)
  const exportAll = async () => {
    const query = (list.queryOfFile ?? list.queryOf)(search, Date.now())
    const { exportPages } = await import('./export-csv.tsx')
    await exportPages(
      list.call,
      (paging, signal) => list.readPage(query, paging, signal),
      csv,
      list.kind ?? list.name,
      list.queryOfFile === undefined ? data.total?.total : undefined,
    )
  }
  const exportSelection = async () => {
    const chosen = rows.filter((row) => selection.selection.keys.has(list.keyOf(row)))
    const { exportRows } = await import('./export-csv.tsx')
    await exportRows(list.call, chosen, csv, `${list.kind ?? list.name}-selection`)
  }
  const preview = openKey === undefined ? undefined : rows.find((row) => list.keyOf(row) === openKey)

  return (
    <div ref={view} className={classes.view}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles keys that bubble from fields */}
      <div className={classes.head} onKeyDown={leaveSearch}>
        {head?.(data.total)}
        <Suspense
          fallback={<ControlsPending filters={list.filters} onFocus={() => focusIn('[data-list-search]')} />}
        >
          <ListControls
            list={list}
            search={search}
            change={change}
            goTo={goTo}
            isNarrow={isNarrow}
            columns={columns}
            look={list.Tile && { look, setLook }}
            selection={selection.selection}
            onClearSelection={selection.clear}
            onExportSelection={() => void exportSelection()}
            onExportAll={rows.length === 0 ? undefined : () => void exportAll()}
          />
        </Suspense>
        <OfflineBanner />
      </div>
      <Paper className={classes.work}>
        <div
          ref={frame}
          className={gridClasses.frame}
          data-hidden-left={hidden.left > 0 || undefined}
          data-hidden-right={hidden.right > 0 || undefined}
          onPointerDown={onPress}
        >
          {data.isRefreshing && <div className={gridClasses.refresh} />}
          <NewsBar
            news={rows.length === 0 ? 0 : news}
            isMore={data.newsAreMore}
            onShow={() => {
              showNews()
              onCurrent(0)
              grid.current?.press('Home')
            }}
          />
          {data.isFirstLoad ? (
            <RowSkeletons height={rowHeight} columns={isStacked ? 2 : columns.shown.length} />
          ) : rows.length === 0 && data.error !== null ? (
            <div className={gridClasses.message}>
              <ListFailure
                error={data.error}
                permission={list.permission}
                onRetry={() => void data.retry()}
              />
            </div>
          ) : rows.length === 0 ? (
            <div className={gridClasses.message}>
              <NoRows list={list} search={search} isFiltered={isFiltered} onClear={clear} />
            </div>
          ) : list.Tile !== undefined && look === 'tiles' ? (
            <Suspense>
              {width > 0 && (
                <TileGrid
                  key={filters}
                  label={title}
                  Tile={list.Tile}
                  width={width}
                  rows={rows}
                  keyOf={list.keyOf}
                  current={current}
                  onCurrent={onCurrent}
                  selection={selection}
                  openKey={openKey}
                  hrefOf={hrefOf}
                  onOpen={(index) => openRow(rows[index])}
                  onOpenInTab={(index) => openInTab(rows[index])}
                  onPreview={togglePreview}
                  onClosePreview={() => setPreview(undefined)}
                  onNearEnd={loadMore}
                  handle={grid}
                />
              )}
            </Suspense>
          ) : (
            <ListGrid
              key={filters}
              label={title}
              rows={rows}
              keyOf={list.keyOf}
              columns={columns.shown}
              isStacked={isStacked}
              sort={sort}
              rowHeight={rowHeight}
              total={data.total?.is_capped ? undefined : data.total?.total}
              isStale={data.isRefreshing}
              current={current}
              onCurrent={onCurrent}
              selection={selection}
              openKey={openKey}
              hasPreview={list.Preview !== undefined}
              hrefOf={hrefOf}
              onOpen={(index) => openRow(rows[index])}
              onOpenInTab={(index) => openInTab(rows[index])}
              onPreview={togglePreview}
              onClosePreview={() => setPreview(undefined)}
              onNearEnd={loadMore}
              arrival={seenIndex === -1 ? undefined : seenIndex}
              onArrived={() => setSeen({ filters, key: undefined, index: 0 })}
              initialOffset={place?.offset ?? 0}
              onScrolled={onScrolled}
              hasFocus={hasFocus}
              handle={grid}
            />
          )}
          <ListFooter
            loaded={data.isFirstLoad || (rows.length === 0 && data.error !== null) ? undefined : rows.length}
            total={data.total}
            hasMore={data.hasMore}
            isLoadingMore={data.isLoadingMore}
            isMoreFailed={data.isMoreFailed}
            onMore={() => void data.loadMore()}
            hidden={hidden}
            onShowHidden={(side) => showHidden(view.current, side)}
          />
        </div>
        <Suspense>
          {openKey !== undefined && list.Preview !== undefined && (
            <PreviewPanel
              isNarrow={isNarrow}
              onClose={() => {
                setPreview(undefined)
                grid.current?.focus()
              }}
              title={preview && list.rowTitle?.(preview, i18n)}
              onOpen={preview === undefined || list.detail === undefined ? undefined : () => openRow(preview)}
            >
              <list.Preview key={openKey} rowKey={openKey} row={preview} />
            </PreviewPanel>
          )}
        </Suspense>
      </Paper>
    </div>
  )
}
