import type { Total } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Paper } from '@mantine/core'
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { csvColumns } from './column-settings.ts'
import type { ListDefinition } from './list-definition.ts'
import { ListFooter, NewsBar } from './list-footer.tsx'
import { ListGrid } from './list-grid.tsx'
import type { ListSearch } from './list-search.ts'
import { ControlsPending, ListFailure, NoRowsSoFar, NoRows, RowSkeletons } from './list-states.tsx'
import { wholeTotal } from './list-total.ts'
import type TileGridOfRows from './tile-grid.tsx'
import { showHidden, useHiddenColumns } from './use-list-columns.ts'
import { useListKeys } from './use-list-keys.ts'
import { type ListState, useListView } from './use-list-view.ts'
import gridClasses from './list-grid.module.css'
import classes from './list-view.module.css'

/** Controls render after the rows: they take as long as the rows, which matter more. */
const ListControls = lazy(async () => {
  const controls = await import('./list-controls.tsx')
  await afterPaint()
  return controls
})
const BulkBar = lazy(() => import('./list-controls.tsx').then((controls) => ({ default: controls.BulkBar })))
const PreviewPanel = lazy(() => import('./preview-panel.tsx'))
const TileGrid = lazy(() => import('./tile-grid.tsx')) as unknown as typeof TileGridOfRows

/** Milliseconds after which a page counts as painted: a busy one may draw nothing for seconds. */
const PAINTED_WITHIN_MS = 1_000

/** Resolves after the next paint. */
const afterPaint = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, PAINTED_WITHIN_MS)
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))
  })

interface Props<Row, Query> {
  list: ListDefinition<Row, Query>
  state: ListState<Row, Query>
}

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
  const state = useListView(list, search)
  const { data, rows, columns, filters, opening } = state
  const { frame, width, isStacked } = state.size
  const view = useRef<HTMLDivElement>(null)
  const { leaveControls, focusSearch } = useListKeys(list, state, view, hasPageKeys)
  const hidden = useHiddenColumns(
    view,
    `${list.name} ${columns.shown.length} ${width} ${isStacked} ${rows.length > 0} ${filters}`,
  )
  const { news, showNews } = data
  useEffect(() => {
    if (news > 0 && rows.length === 0) showNews()
  }, [news, rows.length, showNews])
  return (
    <div ref={view} className={classes.view}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- handles keys that bubble from fields */}
      <div className={classes.head} onKeyDown={leaveControls}>
        {head?.(data.total)}
        <Suspense
          fallback={<ControlsPending list={list} isNarrow={state.size.isNarrow} onFocus={focusSearch} />}
        >
          <Controls list={list} state={state} />
        </Suspense>
      </div>
      <Paper className={classes.work}>
        <div
          ref={frame}
          className={gridClasses.frame}
          data-hidden-left={hidden.left > 0 || undefined}
          data-hidden-right={hidden.right > 0 || undefined}
          onPointerDown={opening.onPress}
        >
          {data.isRefreshing && <div className={gridClasses.refresh} />}
          <News state={state} />
          <Body list={list} state={state} />
          <SelectionBar list={list} state={state} onKeyDown={leaveControls} />
          <ListFooter
            loaded={rows.length || undefined}
            total={data.total}
            hasMore={data.hasMore && rows.length > 0}
            isLoadingMore={data.isLoadingMore}
            isMoreFailed={data.isMoreFailed}
            onMore={() => void data.loadMore()}
            hidden={hidden}
            onShowHidden={(side) => showHidden(view.current, side)}
          />
        </div>
        {/* The rows take their final form before the preview loads. */}
        <Suspense fallback={!state.size.isNarrow && <div className={classes.panel} />}>
          <Preview list={list} state={state} />
        </Suspense>
      </Paper>
    </div>
  )
}

function Controls<Row, Query>({ list, state }: Props<Row, Query>) {
  const { search, change, goTo, size, columns, look, setLook, rows } = state
  const { exportAll } = getExports(list, state)
  return (
    <ListControls
      list={list}
      search={search}
      change={change}
      goTo={goTo}
      isNarrow={size.isNarrow}
      columns={columns}
      look={list.Tile && { look, setLook }}
      total={state.data.total}
      onExportAll={rows.length === 0 ? undefined : () => void exportAll()}
    />
  )
}

function SelectionBar<Row, Query>({
  list,
  state,
  onKeyDown,
}: Props<Row, Query> & { onKeyDown: (event: KeyboardEvent) => void }) {
  const { search, selection, rows, focusRef } = state
  const { exportAll, exportSelection } = getExports(list, state)
  if (selection.selection.keys.size === 0) return null
  return (
    // The bar appears with its actions, in its final height.
    <Suspense>
      <BulkBar
        list={list}
        getQuery={() => list.getQuery({ ...search, sort: undefined }, Date.now()) as object}
        selection={selection.selection}
        total={state.data.total}
        onExport={
          !selection.selection.isAll
            ? () => void exportSelection()
            : rows.length === 0
              ? undefined
              : () => void exportAll()
        }
        onClear={(refused) => {
          // The bar goes, and with it the focus.
          focusRef.current = true
          selection.clear(refused)
        }}
        onSelectMatching={selection.selectMatching}
        onKeyDown={onKeyDown}
      />
    </Suspense>
  )
}

function News<Row, Query>({ state }: Pick<Props<Row, Query>, 'state'>) {
  const { rows, data, onCurrent, gridRef } = state
  return (
    <NewsBar
      news={rows.length === 0 ? 0 : data.news}
      isMore={data.newsAreMore}
      onShow={() => {
        data.showNews()
        onCurrent(0)
        gridRef.current?.press('Home')
      }}
    />
  )
}

/** The rows, or what stands in their place. */
function Body<Row, Query>({ list, state }: Props<Row, Query>) {
  const { data, rows, search, size, columns, focusRef } = state
  const clear = () => {
    // The button disappears with its empty text; rows take its place.
    focusRef.current = true
    state.goTo({})
  }
  if (data.isFirstLoad)
    return <RowSkeletons height={size.rowHeight} columns={size.isStacked ? 2 : columns.shown.length} />
  if (rows.length > 0) return <Rows list={list} state={state} />
  return (
    <div className={gridClasses.message}>
      {data.error === null && data.hasMore ? (
        <NoRowsSoFar isLoading={data.isLoadingMore} onMore={() => void data.loadMore()} />
      ) : data.error === null ? (
        <NoRows list={list} search={search} isFiltered={state.isFiltered} onClear={clear} />
      ) : (
        <ListFailure error={data.error} list={list} onRetry={() => void data.retry()} />
      )}
    </div>
  )
}

/** For lists without recordings. */
const useNoSound = () => () => false

function Rows<Row, Query>({ list, state }: Props<Row, Query>) {
  const { i18n } = useLingui()
  const { useCanHear = useNoSound } = list
  const canHear = useCanHear()
  const { data, rows, filters, size, columns, place, opening, choose } = state
  const shared = {
    label: i18n._(list.title),
    rows,
    getKey: list.getKey,
    current: place.current,
    onCurrent: state.onCurrent,
    selection: state.selection,
    openKey: state.openKey,
    getHref: opening.getHref,
    onOpen: (index: number) => opening.open(rows[index]),
    onChoose: choose && ((index: number) => choose(state.keys[index])),
    onOpenInTab: (index: number) => opening.openInTab(rows[index]),
    onPreview: state.togglePreview,
    onHear: state.hear,
    onClosePreview: () => state.setPreview(undefined),
    onNearEnd: state.loadMore,
    handle: state.gridRef,
    arrival: place.arrival,
    onArrived: place.onArrived,
    focusRef: state.focusRef,
  }
  if (list.Tile !== undefined && state.look === 'tiles')
    return (
      // The footer keeps its place while the tiles load.
      <Suspense fallback={<div className={gridClasses.scroll} />}>
        {size.width > 0 ? (
          <TileGrid key={`${list.name} ${filters}`} {...shared} Tile={list.Tile} width={size.width} />
        ) : (
          <div className={gridClasses.scroll} />
        )}
      </Suspense>
    )
  return (
    <ListGrid
      key={`${list.name} ${filters}`}
      {...shared}
      columns={columns.shown}
      isStacked={size.isStacked}
      sort={state.sort}
      rowHeight={size.rowHeight}
      total={wholeTotal(data.total)}
      // Before the total is counted, the box selects the first rows.
      selectsMatching={list.actsOnMatching === 'first' && (data.total !== undefined || !data.hasMore)}
      isStale={data.isRefreshing}
      hasPreview={list.Preview !== undefined}
      canHear={canHear}
      initialOffset={place.initialOffset}
      onScrolled={place.onScrolled}
    />
  )
}

function Preview<Row, Query>({ list, state }: Props<Row, Query>) {
  const { i18n } = useLingui()
  const { openKey, rows, gridRef } = state
  if (openKey === undefined || list.Preview === undefined) return null
  const row = rows.find((each) => list.getKey(each) === openKey)
  return (
    <PreviewPanel
      isNarrow={state.size.isNarrow}
      onClose={() => {
        state.setPreview(undefined)
        gridRef.current?.focus()
      }}
      title={row && list.rowTitle?.(row, i18n)}
      onOpen={row === undefined || list.detail === undefined ? undefined : () => state.opening.open(row)}
    >
      <list.Preview key={openKey} rowKey={openKey} row={row} neighbours={state.neighbours} />
    </PreviewPanel>
  )
}

/** Exports of a list as CSV files. Their code loads on demand. */
function getExports<Row, Query>(
  list: ListDefinition<Row, Query>,
  { search, data, rows, columns, selection }: ListState<Row, Query>,
) {
  const csv = csvColumns(list, columns.chosen)
  return {
    exportAll: async () => {
      const query = (list.queryOfFile ?? list.getQuery)(search, Date.now())
      const { exportPages } = await import('./export-csv.tsx')
      await exportPages(
        list.call,
        (paging, signal) => list.readPage(query, paging, { signal }),
        csv,
        list.kind ?? list.name,
        list.queryOfFile === undefined ? wholeTotal(data.total) : undefined,
      )
    },
    exportSelection: async () => {
      const chosen = rows.filter((row) => selection.selection.keys.has(list.getKey(row)))
      const { exportRows } = await import('./export-csv.tsx')
      await exportRows(list.call, chosen, csv, `${list.kind ?? list.name}-selection`)
    },
  }
}
