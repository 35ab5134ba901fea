/* oxlint-disable jsx-a11y/prefer-tag-over-role -- tiles are positioned row by row, which real table elements do not survive */
import { useLingui } from '@lingui/react/macro'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ComponentType, useEffect, useRef } from 'react'
import { type GridActs, gridActs } from './grid-acts.ts'
import type { ListGridProps } from './list-grid.tsx'
import gridClasses from './list-grid.module.css'
import { tileAfterKey } from './grid-keys.ts'
import classes from './tile-grid.module.css'

/** Minimum tile width and tile height, in pixels. */
const TILE = { width: 150, height: 188 }
const GAP = 8
/** Remaining tile rows at which the next page is fetched. */
const NEAR_END = 6

type Props<Row> = Pick<ListGridProps<Row>, 'label' | 'rows' | 'keyOf' | 'hrefOf' | 'onNearEnd' | 'handle'> &
  GridActs & {
    Tile: ComponentType<{ row: Row }>
    /** Frame width in pixels. */
    width: number
  }

/** A virtualised tile list as an ARIA grid: the table's keys plus left and right arrows. */
export default function TileGrid<Row>(props: Props<Row>) {
  const { rows, current, selection, onCurrent, onNearEnd, Tile } = props
  const { t } = useLingui()
  const scroll = useRef<HTMLDivElement>(null)
  const wantsFocus = useRef(false)
  const across = Math.max(1, Math.floor((props.width - GAP) / (TILE.width + GAP)))
  const lines = Math.ceil(rows.length / across)
  // oxlint-disable-next-line react/incompatible-library -- this file is not compiled; it renders with every scroll
  const virtualizer = useVirtualizer({
    count: lines,
    getScrollElement: () => scroll.current,
    estimateSize: () => TILE.height + GAP,
    overscan: 2,
    paddingStart: GAP,
    // Scrolls to the tile of the return.
    initialOffset: Math.max(0, Math.floor(current / across) - 1) * (TILE.height + GAP),
    initialRect: { width: props.width, height: innerHeight },
  })
  const items = virtualizer.getVirtualItems()
  const lastInView = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (rows.length > 0 && lastInView >= lines - NEAR_END) onNearEnd()
  }, [lastInView, lines, rows.length, onNearEnd])
  const focusTile = (index: number) =>
    scroll.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true })
  useEffect(() => {
    if (!wantsFocus.current || !scroll.current?.querySelector(`[data-index="${current}"]`)) return
    wantsFocus.current = false
    focusTile(current)
  }, [current, items])

  const moveTo = (index: number) => {
    wantsFocus.current = true
    onCurrent(index)
    virtualizer.scrollToIndex(Math.floor(index / across))
    if (index === current) focusTile(index)
  }
  const rowsPerPage = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 400) / (TILE.height + GAP)))
  const { step, onKeyDown, onClick } = gridActs(
    props,
    (key) => tileAfterKey(key, current, rows.length, { across, rowsPerPage }),
    moveTo,
  )
  useEffect(() => {
    const { handle } = props
    handle.current = { press: (key) => void step(key, false), focus: () => moveTo(current) }
    return () => {
      handle.current = null
    }
  })
  return (
    <div ref={scroll} className={gridClasses.scroll} data-list-scroll>
      <div
        role="grid"
        tabIndex={-1}
        aria-label={props.label}
        aria-rowcount={lines}
        aria-colcount={across}
        aria-multiselectable
        className={classes.grid}
        style={{ height: virtualizer.getTotalSize() }}
        onClick={onClick}
        onKeyDown={onKeyDown}
      >
        {items.map(({ index: line, start }) => (
          <div
            key={line}
            role="row"
            aria-rowindex={line + 1}
            className={classes.line}
            style={{ transform: `translateY(${start}px)`, ['--across' as string]: across }}
          >
            {rows.slice(line * across, (line + 1) * across).map((row, i) => {
              const index = line * across + i
              const key = props.keyOf(row)
              const number = index + 1
              const isSelected = selection.selection.keys.has(key)
              return (
                <div
                  key={key}
                  role="gridcell"
                  className={classes.tile}
                  aria-selected={isSelected}
                  aria-colindex={i + 1}
                  tabIndex={index === current ? 0 : -1}
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
                  <a className={classes.link} href={props.hrefOf(row)} tabIndex={-1}>
                    <Tile row={row} />
                  </a>
                </div>
              )
            })}
          </div>
        ))}
      </div>
    </div>
  )
}
