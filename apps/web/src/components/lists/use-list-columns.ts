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
 * The columns of a list as the reader arranged them, remembered for account, person and list. Of those about which the reader said nothing,
 * the ones without any value among `rows` do not stand, and the one that the list is sorted by does.
 *
 * @param sortedBy the time that the list is sorted by
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
    /** Those that the reader sees, and those that would be seen if the rows had a value for them. */
    shown: useMemo(() => chosen.filter(({ id }) => !empty.has(id)), [chosen, empty]),
    chosen,
    isShown: (id: string) => visible[id] === true && !empty.has(id),
    isEmpty: (id: string) => empty.has(id),
  }
}
export type ListColumns<Row> = ReturnType<typeof useListColumns<Row>>
