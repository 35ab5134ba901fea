import { type RefObject, useEffect, useMemo, useState } from 'react'
import {
  type ColumnSettings,
  emptyIds,
  orderedIds,
  readColumnSettings,
  getVisibility,
} from './column-settings.ts'
import type { ListColumn } from './list-definition.ts'
import { useListMemory } from './list-memory.ts'

/**
 * Columns in the user's arrangement, stored per account, user and list. Columns without values are hidden by default;
 * the sort column is shown.
 * @param sortedBy the list's sort time
 */
export function useListColumns<Row>(
  list: { name: string; kind?: string; columns: readonly ListColumn<Row>[] },
  rows: readonly Row[],
  sortedBy: string | undefined,
) {
  const [settings, setSettings] = useListMemory<ColumnSettings>(
    list.kind ?? list.name,
    'columns',
    readColumnSettings,
  )
  const { columns } = list
  const ids = useMemo(() => columns.map(({ id }) => id), [columns])
  const ordered = useMemo(
    () => orderedIds(ids, settings.order).flatMap((id) => columns.find((column) => column.id === id) ?? []),
    [ids, settings.order, columns],
  )
  const visible = useMemo(() => getVisibility(columns, settings, sortedBy), [columns, settings, sortedBy])
  const empty = useMemo(() => emptyIds(columns, rows, settings), [columns, rows, settings])
  const chosen = useMemo(() => ordered.filter(({ id }) => visible[id]), [ordered, visible])
  return {
    settings,
    setSettings,
    ids,
    /** All columns from left to right, hidden ones included. */
    ordered,
    /** Visible columns, and those that would be visible with values. */
    shown: useMemo(() => chosen.filter(({ id }) => !empty.has(id)), [chosen, empty]),
    chosen,
    isShown: (id: string) => visible[id] === true && !empty.has(id),
    isEmpty: (id: string) => empty.has(id),
  }
}
export type ListColumns<Row> = ReturnType<typeof useListColumns<Row>>

/** Number of columns outside the view at each side. */
export interface HiddenColumns {
  left: number
  right: number
}
const NONE: HiddenColumns = { left: 0, right: 0 }
/** Padding of a column in pixels. */
const SPACE = 10

/**
 * Columns that are scrolled out of view.
 * @param view the scroll container
 * @param layout changes with the columns
 */
export function useHiddenColumns(view: RefObject<HTMLElement | null>, layout: unknown): HiddenColumns {
  const [hidden, setHidden] = useState(NONE)
  useEffect(() => {
    const count = () => {
      const found = hiddenIn(view.current)
      setHidden((before) => (before.left === found.left && before.right === found.right ? before : found))
    }
    count()
    const around = view.current
    // Scroll events do not bubble, and each filter remounts the scrolling element.
    around?.addEventListener('scroll', count, true)
    return () => around?.removeEventListener('scroll', count, true)
  }, [view, layout])
  return hidden
}

function hiddenIn(view: HTMLElement | null): HiddenColumns {
  const port = view?.querySelector('[data-list-scroll]')?.getBoundingClientRect()
  if (port === undefined) return NONE
  const columns = [...(view?.querySelectorAll('[data-column]') ?? [])].map((each) =>
    each.getBoundingClientRect(),
  )
  return {
    left: columns.filter(({ left, width }) => width > 1 && left + SPACE < port.left).length,
    right: columns.filter(({ right, width }) => width > 1 && right - SPACE > port.right).length,
  }
}

/** Scrolls a list by its width towards hidden columns. */
export function showHidden(view: HTMLElement | null, side: keyof HiddenColumns): void {
  const port = view?.querySelector('[data-list-scroll]')
  port?.scrollBy({ left: port.clientWidth * (side === 'left' ? -0.8 : 0.8), behavior: 'auto' })
}
