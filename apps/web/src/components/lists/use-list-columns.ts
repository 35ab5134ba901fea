import { useMemo } from 'react'
import {
  type ColumnSettings,
  emptyIds,
  orderedIds,
  readColumnSettings,
  visibilityOf,
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
  const visible = useMemo(() => visibilityOf(columns, settings, sortedBy), [columns, settings, sortedBy])
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
