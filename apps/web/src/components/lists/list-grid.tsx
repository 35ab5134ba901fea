/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows are positioned one by one, which real table elements do not survive */
import { useLingui } from '@lingui/react/macro'
import {
  type FocusEvent,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { type GridActs, useGridActs } from './grid-acts.ts'
import { rowAfterKey } from './grid-keys.ts'
import type { ListColumn } from './list-definition.ts'
import { ListHeader, type ListSort } from './list-header.tsx'
import { ListRow } from './list-row.tsx'
import classes from './list-grid.module.css'

/** Height of the sticky header in pixels, as in the style sheet. */
const HEADER_HEIGHT = 34
/** Pixels of a line of text, with the space around it; the style sheet has the height of a line. */
const LINE_HEIGHT = 17
/** Approximate height above and below the rows, in pixels. */
const AROUND_HEIGHT = 260
/** Remaining rows at which the next page is fetched. */
const NEAR_END_ROWS = 30
const OVERSCAN_ROWS = 8

export interface ListGridProps<Row> extends GridActs {
  label: string
  rows: readonly Row[]
  getKey: (row: Row) => string
  columns: readonly ListColumn<Row>[]
  isStacked: boolean
  sort: ListSort
  rowHeight: number
  /** Total rows; undefined while unknown. */
  total: number | undefined
  /** The box of the header selects all rows that match the filters. */
  selectsMatching: boolean
  isStale: boolean
  hasPreview: boolean
  canHear: (row: Row) => boolean
  getHref: (row: Row) => string | undefined
  onNearEnd: () => void
  /** Scroll position of the last visit, in pixels. */
  initialOffset: number
  onScrolled: (offset: number) => void
  /** Index of the row that the user returns from; it is shown and focused. */
  arrival: number | undefined
  onArrived: () => void
  focusRef: ListFocus
  /** Moves the cursor. */
  handle: Ref<GridHandle>
}

export interface GridHandle {
  /** Moves cursor and focus as `key` would. */
  press: (key: string) => void
  moveTo: (index: number) => void
  focus: () => void
}

/**
 * A virtualised list as an ARIA grid: one tab stop, arrows move, Space selects, Enter opens. The focused row stays
 * mounted at any scroll position.
 */
export function ListGrid<Row>(props: ListGridProps<Row>) {
  const { rows, selection } = props
  const scroll = useRef<HTMLDivElement>(null)
  const ownScroll = useOwnScroll()
  /** A row had the focus. */
  const isEntered = useRef(false)
  const focus = useFocusMemory(props.focusRef, isEntered)
  const inView = useRowsInView(props, scroll)
  const { onKeyDown, onClick } = useGridCursor(props, scroll, inView, isEntered)
  const template = `36px ${props.columns.map(getTrack).join(' ')}${props.hasPreview ? ' 40px' : ''}`
  return (
    <div
      ref={scroll}
      className={classes.scroll}
      data-list-scroll
      {...ownScroll}
      onScroll={(event) => props.onScrolled(event.currentTarget.scrollTop)}
    >
      <div
        role="grid"
        // Rows are the tab stops, not the grid.
        tabIndex={-1}
        aria-label={props.label}
        aria-rowcount={props.total === undefined ? -1 : Math.max(props.total, rows.length) + 1}
        aria-multiselectable
        aria-busy={props.isStale || undefined}
        onClick={onClick}
        onKeyDown={onKeyDown}
        {...focus}
        className={`${classes.grid} ${props.isStale ? classes.stale : ''}`}
        style={{
          ['--list-columns' as string]: template,
          ['--list-lines' as string]: Math.trunc(props.rowHeight / LINE_HEIGHT),
        }}
      >
        <ListHeader
          columns={props.columns}
          isStacked={props.isStacked}
          selected={selection.selection.keys.size}
          isWhole={selection.selection.isAll ?? selection.selection.keys.size === props.total}
          selectsMatching={props.selectsMatching}
          hasPreview={props.hasPreview}
          onToggleAll={selection.toggleAll}
          sort={props.sort}
        />
        <Rows props={props} items={inView.lines} height={inView.totalHeight} />
      </div>
    </div>
  )
}

/** The list returns to the row last seen: an id of its own keeps the router from restoring an earlier position. */
export const useOwnScroll = () => ({ 'data-scroll-restoration-id': useId() })

type Scroll = RefObject<HTMLDivElement | null>

/** A line of a virtualised list: a row, or several tiles. `start` is its distance from the first, in pixels. */
export interface Line {
  index: number
  start: number
}

/** Lines of one height: those near the viewport, and one that stays rendered at any scroll position. */
export function useLinesInView(
  scroll: Scroll,
  options: {
    count: number
    height: number
    /** Lines rendered above and below the viewport. */
    overscan: number
    kept: number
    /** Space above the first line. */
    paddingStart?: number
    /** Height of a header that covers lines. */
    covered?: number
    initialOffset: number
    /** Height of the viewport before it is measured, so that lines render with the frame. */
    initialHeight: number
  },
) {
  const { count, height, overscan, kept, paddingStart = 0, covered = 0, initialOffset } = options
  const [view, setView] = useState({ offset: initialOffset, height: options.initialHeight })
  const lineAt = (offset: number) =>
    Math.min(Math.max(Math.floor((offset - paddingStart) / height), 0), Math.max(count - 1, 0))
  const first = lineAt(view.offset)
  const last = lineAt(view.offset + view.height)
  const measure = useCallback(() => {
    const { scrollTop = 0, clientHeight = 0 } = scroll.current ?? {}
    const steps = (offset: number) => Math.floor(offset / height)
    setView((before) =>
      before.height === clientHeight && steps(before.offset) === steps(scrollTop)
        ? before
        : { offset: scrollTop, height: clientHeight },
    )
  }, [scroll, height])
  useLayoutEffect(() => {
    if (scroll.current && initialOffset > 0) scroll.current.scrollTop = initialOffset
    // oxlint-disable-next-line react/exhaustive-deps -- once
  }, [])
  useLayoutEffect(() => {
    measure()
    const element = scroll.current
    const observer = new ResizeObserver(measure)
    if (element) observer.observe(element)
    // At once: a later render would show an empty frame.
    const onScroll = () => flushSync(measure)
    element?.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      element?.removeEventListener('scroll', onScroll)
    }
  }, [scroll, measure])
  const lines = useMemo(() => {
    const from = Math.max(0, first - overscan)
    const to = Math.min(count - 1, last + overscan)
    const indexes = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
    if (kept < from && kept < count) indexes.unshift(kept)
    if (kept > to && kept < count) indexes.push(kept)
    return indexes.map((index): Line => ({ index, start: paddingStart + index * height }))
  }, [first, last, count, height, overscan, kept, paddingStart])
  /** Scrolls a line into view, or to the middle of the viewport. */
  const scrollTo = (index: number, align: 'auto' | 'center' = 'auto') => {
    const element = scroll.current
    if (element === null) return
    const size = element.clientHeight
    const start = paddingStart + index * height
    const end = start + height + covered
    if (align === 'center') element.scrollTop = start + (height - size) / 2
    else if (end >= element.scrollTop + size) element.scrollTop = end - size
    else if (start <= element.scrollTop) element.scrollTop = start
    measure()
  }
  return { lines, last, totalHeight: paddingStart + count * height, scrollTo }
}

/** Rows near the viewport; fetches the next page near the end. */
function useRowsInView<Row>(props: ListGridProps<Row>, scroll: Scroll) {
  const { rows, onNearEnd } = props
  const inView = useLinesInView(scroll, {
    count: rows.length,
    height: props.rowHeight,
    overscan: OVERSCAN_ROWS,
    kept: props.current,
    covered: HEADER_HEIGHT,
    initialOffset: props.initialOffset,
    initialHeight: innerHeight - AROUND_HEIGHT,
  })
  useEffect(() => {
    if (rows.length > 0 && inView.last >= rows.length - NEAR_END_ROWS) onNearEnd()
  }, [inView.last, rows.length, onNearEnd])
  return inView
}

/** Moves cursor and focus: by keys and clicks, by the handle, and to the row of a return. */
function useGridCursor<Row>(
  props: ListGridProps<Row>,
  scroll: Scroll,
  inView: ReturnType<typeof useRowsInView>,
  isEntered: RefObject<boolean>,
) {
  const { rows, current, rowHeight, arrival, onArrived } = props
  const rowAt = (index: number) => scroll.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  const focusLater = useRowFocus(props, scroll, inView.lines)
  const moveTo = (index: number, align: 'auto' | 'center' = 'auto') => {
    focusLater(true)
    props.onCurrent(index)
    inView.scrollTo(index, align)
    const row = rowAt(index)
    // Already at this index: no render would move the focus.
    if (index === current && row) {
      focusLater(false)
      row.focus({ preventScroll: true })
    }
  }
  useEffect(() => {
    if (arrival === undefined) return
    moveTo(arrival, 'center')
    onArrived()
    // oxlint-disable-next-line react/exhaustive-deps -- once for each arrival
  }, [arrival])
  const after = (key: string) => {
    const height = scroll.current?.clientHeight ?? 400
    const rowsPerPage = Math.max(1, Math.floor((height - HEADER_HEIGHT) / rowHeight) - 1)
    return rowAfterKey(key, current, rows.length, rowsPerPage)
  }
  const { step, onKeyDown, onClick } = useGridActs(props, after, moveTo)
  useImperativeHandle(props.handle, () => ({
    press: (key) => {
      // Focus from outside enters at the cursor: the first key goes to the first row.
      if (isEntered.current || key === 'Home') step(key, false)
      else moveTo(current)
    },
    moveTo: (index) => moveTo(index),
    focus: () => moveTo(current),
  }))
  return { onKeyDown, onClick }
}

/** What has the focus, also while rows are replaced: a row, or the title of a column that sorts. */
export type ListFocus = RefObject<boolean | string>

/** Handlers of a grid that remember what has the focus. */
export const useFocusMemory = (focusRef: ListFocus, isEntered: RefObject<boolean>) => ({
  onFocus: ({ target }: FocusEvent<HTMLElement>) => {
    focusRef.current = target.dataset.sort ?? true
    isEntered.current = target.closest('[role=columnheader]') === null
  },
  onBlur: ({ currentTarget, target }: FocusEvent<HTMLElement>) =>
    // A removed row does not give up the focus.
    queueMicrotask(() => {
      if (target.isConnected && !currentTarget.contains(document.activeElement)) focusRef.current = false
    }),
})

/**
 * Focuses the current row or tile once it is rendered, and keeps the focus there, or at the title of a column, while rows are
 * replaced: before the next key, which would be lost otherwise.
 */
export function useRowFocus(
  { current, focusRef }: { current: number; focusRef: ListFocus },
  scroll: Scroll,
  items: readonly Line[],
): (wants: boolean) => void {
  const wantsFocus = useRef(false)
  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    scroll.current?.querySelector<HTMLElement>(`[data-index="${current}"]`)?.focus({ preventScroll: true })
  }, [scroll, current, items])
  useLayoutEffect(() => {
    if (!focusRef.current) return
    // Keeps the focus at the cursor when new rows shift the list.
    const row = scroll.current?.querySelector<HTMLElement>(
      focusRef.current === true ? `[data-index="${current}"]` : `[data-sort="${focusRef.current}"]`,
    )
    const focused = document.activeElement ?? document.body
    const isElsewhere =
      focused !== row && focused.matches('[data-index]') && scroll.current?.contains(focused)
    if (focused === document.body || focused.matches('h1, [data-submits]') || isElsewhere)
      row?.focus({ preventScroll: true })
  })
  return (wants) => {
    wantsFocus.current = wants
  }
}

function Rows<Row>({
  props,
  items,
  height,
}: {
  props: ListGridProps<Row>
  items: readonly Line[]
  height: number
}) {
  const { rows, current, rowHeight, selection } = props
  const { t } = useLingui()
  return (
    <div role="rowgroup" className={classes.body} style={{ height }} aria-label={t`Rows`}>
      {items.map(({ index, start }) => {
        const row = rows[index]
        if (row === undefined) return null
        const key = props.getKey(row)
        return (
          <ListRow
            key={key}
            row={row}
            rowKey={key}
            index={index}
            start={start}
            height={rowHeight}
            columns={props.columns}
            isStacked={props.isStacked}
            isCurrent={index === current}
            isSelected={selection.selection.isAll ?? selection.selection.keys.has(key)}
            isOpen={key === props.openKey}
            hasPreview={props.hasPreview}
            canHear={props.canHear(row)}
            href={props.getHref(row)}
          />
        )
      })}
    </div>
  )
}

const getTrack = ({ width, grow }: Pick<ListColumn<never>, 'width' | 'grow'>): string =>
  grow === undefined ? `${width}px` : `minmax(${width}px, ${grow}fr)`
