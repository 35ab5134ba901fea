/* oxlint-disable jsx-a11y/prefer-tag-over-role -- rows are positioned one by one, which real table elements do not survive */
import { useLingui } from '@lingui/react/macro'
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { type GridActs, gridActs } from './grid-acts.ts'
import { rowAfterKey } from './grid-keys.ts'
import { ListHeader, type ListSort } from './list-header.tsx'
import type { ListColumn } from './list-definition.ts'
import classes from './list-grid.module.css'
import { ListRow } from './list-row.tsx'

/** Height of the sticky header in pixels, as in the style sheet. */
const HEADER_HEIGHT = 34
/** What a page has above and below its rows, in pixels, more or less. */
const AROUND_HEIGHT = 260
/** More rows are fetched when this many or fewer are left below. */
const NEAR_END_ROWS = 30
const OVERSCAN_ROWS = 8

export interface ListGridProps<Row> extends GridActs {
  label: string
  rows: readonly Row[]
  keyOf: (row: Row) => string
  columns: readonly ListColumn<Row>[]
  isStacked: boolean
  sort: ListSort | undefined
  rowHeight: number
  /** Rows of the whole list, loaded or not; undefined while unknown. */
  total: number | undefined
  isStale: boolean
  hasPreview: boolean
  hrefOf: (row: Row) => string | undefined
  onNearEnd: () => void
  /** Where the list was scrolled to when it was left, in pixels. */
  initialOffset: number
  onScrolled: (offset: number) => void
  /** Index of the row from which the reader comes back: it is shown, and gets the focus. */
  arrival: number | undefined
  onArrived: () => void
  /** Whether a row has the focus, also while other rows take the place of those that had it. */
  hasFocus: RefObject<boolean>
  /** Moves the cursor from outside; filled in by the grid. */
  handle: { current: GridHandle | null }
}

export interface GridHandle {
  /** Moves the cursor as `key` would, and the focus with it. */
  press: (key: string) => void
  focus: () => void
}

/**
 * A virtualised list as an ARIA grid with rows as its stops: one Tab stop, arrows move, Space selects, Enter opens.
 * The row that holds the focus is always mounted, wherever the list is scrolled to.
 */
export function ListGrid<Row>(props: ListGridProps<Row>) {
  const { rows, current, rowHeight, selection, onCurrent } = props
  const { t } = useLingui()
  const scroll = useRef<HTMLDivElement>(null)
  const wantsFocus = useRef(false)
  /** A row has had the focus. */
  const isEntered = useRef(false)

  // oxlint-disable-next-line react/incompatible-library -- this file is not compiled; it renders with every scroll
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN_ROWS,
    initialOffset: props.initialOffset,
    // Until it is measured, so that rows are drawn with the frame and not after it.
    initialRect: { width: innerWidth, height: innerHeight - AROUND_HEIGHT },
    // The header covers the top of the viewport, and the body begins below it.
    scrollPaddingEnd: HEADER_HEIGHT,
    rangeExtractor: useCallback(
      (range: Range) => {
        const indexes = defaultRangeExtractor(range)
        if (current >= range.count || indexes.includes(current)) return indexes
        return [...indexes, current].toSorted((a, b) => a - b)
      },
      [current],
    ),
  })
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight])

  const items = virtualizer.getVirtualItems()
  const lastInView = virtualizer.range?.endIndex ?? 0
  const { onNearEnd, onScrolled } = props
  useEffect(() => {
    if (rows.length > 0 && lastInView >= rows.length - NEAR_END_ROWS) onNearEnd()
  }, [lastInView, rows.length, onNearEnd])

  useEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    scroll.current?.querySelector<HTMLElement>(`[data-index="${current}"]`)?.focus({ preventScroll: true })
  }, [current, items])

  const { hasFocus } = props
  useEffect(() => {
    if (!hasFocus.current) return
    // Rows that come in take the place of others, or send them down the list: the focus stays at the cursor.
    const row = scroll.current?.querySelector<HTMLElement>(`[data-index="${current}"]`)
    const focused = document.activeElement ?? document.body
    const isElsewhere =
      focused !== row && focused.matches('[role="row"]') && scroll.current?.contains(focused)
    if (focused === document.body || isElsewhere) row?.focus({ preventScroll: true })
  })

  const moveTo = (index: number, align: 'auto' | 'center' = 'auto') => {
    wantsFocus.current = true
    onCurrent(index)
    virtualizer.scrollToIndex(index, { align })
    const row = scroll.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    // Already there: no render follows that would move the focus.
    if (index === current && row) {
      wantsFocus.current = false
      row.focus({ preventScroll: true })
    }
  }
  const { arrival, onArrived } = props
  useEffect(() => {
    if (arrival === undefined) return
    moveTo(arrival, 'center')
    onArrived()
    // oxlint-disable-next-line react/exhaustive-deps -- once for each arrival
  }, [arrival])
  const rowsPerPage = Math.max(
    1,
    Math.floor(((scroll.current?.clientHeight ?? 400) - HEADER_HEIGHT) / rowHeight) - 1,
  )
  const { step, onKeyDown, onClick } = gridActs(
    props,
    (key) => rowAfterKey(key, current, rows.length, rowsPerPage),
    moveTo,
  )
  useEffect(() => {
    const { handle } = props
    handle.current = {
      press: (key) => {
        // Who comes from elsewhere enters where the cursor stands: the first key leads to the first row, not to the second.
        if (isEntered.current || key === 'Home') step(key, false)
        else moveTo(current)
      },
      focus: () => moveTo(current),
    }
    // Nobody moves a cursor in a list that is gone.
    return () => {
      handle.current = null
    }
  })

  const template = `36px ${props.columns.map(trackOf).join(' ')}${props.hasPreview ? ' 40px' : ''}`
  return (
    <div
      ref={scroll}
      className={classes.scroll}
      data-list-scroll
      onScroll={(event) => onScrolled(event.currentTarget.scrollTop)}
    >
      <div
        role="grid"
        // The rows are the stops; the grid itself is none.
        tabIndex={-1}
        aria-label={props.label}
        aria-rowcount={props.total === undefined ? -1 : Math.max(props.total, rows.length) + 1}
        aria-multiselectable
        aria-busy={props.isStale || undefined}
        onClick={onClick}
        onKeyDown={onKeyDown}
        onFocus={() => (isEntered.current = hasFocus.current = true)}
        onBlur={({ currentTarget, target }) =>
          // Of a row that is taken away the focus is not given up.
          queueMicrotask(() => {
            if (target.isConnected) hasFocus.current = currentTarget.contains(document.activeElement)
          })
        }
        className={`${classes.grid} ${props.isStale ? classes.stale : ''}`}
        style={{ ['--list-columns' as string]: template }}
      >
        <ListHeader
          columns={props.columns}
          isStacked={props.isStacked}
          selected={selection.selection.keys.size}
          hasPreview={props.hasPreview}
          onToggleAll={selection.toggleAll}
          sort={props.sort}
        />
        <div
          role="rowgroup"
          className={classes.body}
          style={{ height: virtualizer.getTotalSize() }}
          aria-label={t`Rows`}
        >
          {items.map(({ index, start }) => {
            const row = rows[index]
            if (row === undefined) return null
            const key = props.keyOf(row)
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
                isSelected={selection.selection.keys.has(key)}
                isOpen={key === props.openKey}
                hasPreview={props.hasPreview}
                href={props.hrefOf(row)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

const trackOf = ({ width, grow }: Pick<ListColumn<never>, 'width' | 'grow'>): string =>
  grow === undefined ? `${width}px` : `minmax(${width}px, ${grow}fr)`
