/* oxlint-disable jsx-a11y/prefer-tag-over-role -- tiles are positioned row by row, which real table elements do not survive */
import { useLingui } from '@lingui/react/macro'
import { type ComponentType, type RefObject, useEffect, useImperativeHandle, useRef } from 'react'
import { type GridActs, useGridActs } from './grid-acts.ts'
import { tileAfterKey } from './grid-keys.ts'
import {
  type Line,
  type ListGridProps,
  useFocusMemory,
  useLinesInView,
  useOwnScroll,
  useRowFocus,
} from './list-grid.tsx'
import gridClasses from './list-grid.module.css'
import classes from './tile-grid.module.css'

/** Minimum tile width and tile height, in pixels. */
const TILE = { width: 150, height: 188 }
const GAP = 8
/** Remaining tile rows at which the next page is fetched. */
const NEAR_END = 6

type Props<Row> = Pick<
  ListGridProps<Row>,
  'label' | 'rows' | 'getKey' | 'getHref' | 'onNearEnd' | 'handle' | 'arrival' | 'onArrived' | 'focusRef'
> &
  GridActs & {
    Tile: ComponentType<{ row: Row }>
    /** Frame width in pixels. */
    width: number
  }

/** A virtualised tile list as an ARIA grid: the table's keys plus left and right arrows. */
export default function TileGrid<Row>(props: Props<Row>) {
  const { rows, current, onNearEnd } = props
  const scroll = useRef<HTMLDivElement>(null)
  const ownScroll = useOwnScroll()
  /** A tile had the focus. */
  const isEntered = useRef(false)
  const focus = useFocusMemory(props.focusRef, isEntered)
  const across = Math.max(1, Math.floor((props.width - GAP) / (TILE.width + GAP)))
  const lines = Math.ceil(rows.length / across)
  const inView = useLinesInView(scroll, {
    count: lines,
    height: TILE.height + GAP,
    overscan: 2,
    kept: Math.floor(current / across),
    paddingStart: GAP,
    // Scrolls to the tile of the return.
    initialOffset: Math.max(0, Math.floor(current / across) - 1) * (TILE.height + GAP),
    initialHeight: innerHeight,
  })
  const items = inView.lines
  const lastInView = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && lastInView >= lines - NEAR_END) onNearEnd()
  }, [lastInView, lines, rows.length, onNearEnd])
  const { onKeyDown, onClick } = useTileCursor(props, scroll, items, {
    across,
    isEntered,
    scrollTo: (index) => inView.scrollTo(Math.floor(index / across)),
  })
  return (
    <div ref={scroll} className={gridClasses.scroll} data-list-scroll {...ownScroll}>
      <div
        role="grid"
        tabIndex={-1}
        aria-label={props.label}
        aria-rowcount={lines}
        aria-colcount={across}
        aria-multiselectable
        className={classes.grid}
        style={{ height: inView.totalHeight }}
        onClick={onClick}
        onKeyDown={onKeyDown}
        {...focus}
      >
        {items.map(({ index: line, start }) => (
          <div
            key={line}
            role="row"
            aria-rowindex={line + 1}
            className={classes.line}
            style={{ transform: `translateY(${start}px)`, ['--across' as string]: across }}
          >
            {rows.slice(line * across, (line + 1) * across).map((row, i) => (
              <TileCell
                key={props.getKey(row)}
                props={props}
                row={row}
                index={line * across + i}
                column={i}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Moves cursor and focus by keys, clicks and the handle. */
function useTileCursor<Row>(
  props: Props<Row>,
  scroll: RefObject<HTMLDivElement | null>,
  items: readonly Line[],
  {
    across,
    isEntered,
    scrollTo,
  }: { across: number; isEntered: RefObject<boolean>; scrollTo: (index: number) => void },
) {
  const { rows, current, arrival, onArrived } = props
  const focusLater = useRowFocus(props, scroll, items)
  const moveTo = (index: number) => {
    focusLater(true)
    props.onCurrent(index)
    scrollTo(index)
    const tile = scroll.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    if (index === current && tile) {
      focusLater(false)
      tile.focus({ preventScroll: true })
    }
  }
  useEffect(() => {
    // Other tiles stand in a line when the preview opens or closes.
    if (props.focusRef.current) scrollTo(current)
    // oxlint-disable-next-line react/exhaustive-deps -- only when the lines change
  }, [across])
  useEffect(() => {
    if (arrival === undefined) return
    moveTo(arrival)
    onArrived()
    // oxlint-disable-next-line react/exhaustive-deps -- once for each arrival
  }, [arrival])
  const after = (key: string) => {
    const height = scroll.current?.clientHeight ?? 400
    const rowsPerPage = Math.max(1, Math.floor(height / (TILE.height + GAP)))
    return tileAfterKey(key, current, rows.length, { across, rowsPerPage })
  }
  const { step, onKeyDown, onClick } = useGridActs(props, after, moveTo)
  useImperativeHandle(props.handle, () => ({
    press: (key) => {
      // Focus from outside enters at the cursor, as in the table.
      if (isEntered.current || key === 'Home') step(key, false)
      else moveTo(current)
    },
    moveTo,
    focus: () => moveTo(current),
  }))
  return { onKeyDown, onClick }
}

function TileCell<Row>({
  props,
  row,
  index,
  column,
}: {
  props: Props<Row>
  row: Row
  index: number
  column: number
}) {
  const { t } = useLingui()
  const { Tile } = props
  const key = props.getKey(row)
  const number = index + 1
  const { isAll, keys } = props.selection.selection
  const isSelected = isAll ?? keys.has(key)
  return (
    <div
      role="gridcell"
      className={classes.tile}
      aria-selected={isSelected}
      aria-colindex={column + 1}
      tabIndex={index === props.current ? 0 : -1}
      data-index={index}
      data-key={key}
      data-open={key === props.openKey || undefined}
    >
      <label className={classes.pick} data-pick>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isSelected}
          readOnly
          aria-label={t`Select row ${number}`}
        />
      </label>
      <a className={classes.link} href={props.getHref(row)} tabIndex={-1}>
        <Tile row={row} />
      </a>
    </div>
  )
}
