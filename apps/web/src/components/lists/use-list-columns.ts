import {
  columnOrderingFeature,
  columnVisibilityFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useCallback, useMemo } from 'react'
import { type ColumnSettings, orderedIds, readColumnSettings, visibilityOf } from './column-settings.ts'
import type { ListColumn } from './list-definition.ts'
import { useListMemory } from './list-memory.ts'

const features = tableFeatures({ columnOrderingFeature, columnVisibilityFeature })
/** Rows are the virtualiser's: a second model of each would only cost memory in long lists. */
const NO_ROWS: object[] = []

/** The columns of a list as the reader arranged them; remembered for account, person and list. */
export function useListColumns<Row>(list: { name: string; columns: readonly ListColumn<Row>[] }) {
  const [settings, setSettings] = useListMemory<ColumnSettings>(list.name, 'columns', readColumnSettings)
  const ids = useMemo(() => list.columns.map(({ id }) => id), [list.columns])
  const table = useTable({
    features,
    columns: useMemo(() => ids.map((id) => ({ id })), [ids]),
    data: NO_ROWS,
    state: {
      columnOrder: useMemo(() => orderedIds(ids, settings.order), [ids, settings.order]),
      columnVisibility: useMemo(() => visibilityOf(list.columns, settings), [list.columns, settings]),
    },
  })
  const columnOf = useCallback(
    (id: string) => list.columns.find((column) => column.id === id) ?? [],
    [list.columns],
  )
  const visible = table.getVisibleLeafColumns()
  return {
    settings,
    setSettings,
    ids,
    /** All columns from left to right, hidden ones included. */
    ordered: orderedIds(ids, settings.order).flatMap(columnOf),
    shown: useMemo(() => visible.flatMap(({ id }) => columnOf(id)), [visible, columnOf]),
    isShown: (id: string) => table.getColumn(id)?.getIsVisible() ?? false,
  }
}
export type ListColumns<Row> = ReturnType<typeof useListColumns<Row>>
