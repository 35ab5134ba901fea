import {
  columnOrderingFeature,
  columnVisibilityFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useCallback, useMemo } from 'react'
import {
  type ColumnSettings,
  emptyIds,
  orderedIds,
  readColumnSettings,
  visibilityOf,
} from './column-settings.ts'
import type { ListColumn } from './list-definition.ts'
import { useListMemory } from './list-memory.ts'

const features = tableFeatures({ columnOrderingFeature, columnVisibilityFeature })
/** Rows are the virtualiser's: a second model of each would only cost memory in long lists. */
const NO_ROWS: object[] = []

/**
 * The columns of a list as the reader arranged them, remembered for account, person and list. Of those about which the reader said nothing,
 * the ones without any value among `rows` do not stand, and the one that the list is sorted by does.
 *
 * @param sortedBy the time that the list is sorted by
 */
export function useListColumns<Row>(
  list: { name: string; columns: readonly ListColumn<Row>[] },
  rows: readonly Row[],
  sortedBy: string | undefined,
) {
  const [settings, setSettings] = useListMemory<ColumnSettings>(list.name, 'columns', readColumnSettings)
  const ids = useMemo(() => list.columns.map(({ id }) => id), [list.columns])
  const table = useTable({
    features,
    columns: useMemo(() => ids.map((id) => ({ id })), [ids]),
    data: NO_ROWS,
    state: {
      columnOrder: useMemo(() => orderedIds(ids, settings.order), [ids, settings.order]),
      columnVisibility: useMemo(
        () => visibilityOf(list.columns, settings, sortedBy),
        [list.columns, settings, sortedBy],
      ),
    },
  })
  const columnOf = useCallback(
    (id: string) => list.columns.find((column) => column.id === id) ?? [],
    [list.columns],
  )
  const visible = table.getVisibleLeafColumns()
  const empty = useMemo(() => emptyIds(list.columns, rows, settings), [list.columns, rows, settings])
  const chosen = useMemo(() => visible.flatMap(({ id }) => columnOf(id)), [visible, columnOf])
  return {
    settings,
    setSettings,
    ids,
    /** All columns from left to right, hidden ones included. */
    ordered: orderedIds(ids, settings.order).flatMap(columnOf),
    /** Those that the reader sees, and those that would be seen if the rows had a value for them. */
    shown: useMemo(() => chosen.filter(({ id }) => !empty.has(id)), [chosen, empty]),
    chosen,
    isShown: (id: string) => (table.getColumn(id)?.getIsVisible() ?? false) && !empty.has(id),
    isEmpty: (id: string) => empty.has(id),
  }
}
export type ListColumns<Row> = ReturnType<typeof useListColumns<Row>>
