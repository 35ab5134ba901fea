import type { CsvColumn, ListColumn, ListDefinition } from './list-definition.ts'

/** The user's column settings of a list. */
export interface ColumnSettings {
  /** Column ids from left to right; other columns follow in default order. */
  order: readonly string[]
  /** Explicit visibility; other columns use their default. */
  visible: Readonly<Record<string, boolean>>
  density: Density
}
type Density = 'comfortable' | 'compact'

/** Row heights in pixels. */
export const ROW_HEIGHTS = { comfortable: 36, compact: 30, stacked: 64 } as const

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses stored settings; invalid parts use the default. */
export function readColumnSettings(stored: unknown): ColumnSettings {
  const record = isRecord(stored) ? stored : {}
  return {
    order: Array.isArray(record.order) ? record.order.filter((id) => typeof id === 'string') : [],
    visible: isRecord(record.visible)
      ? Object.fromEntries(
          Object.entries(record.visible).filter(
            (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
          ),
        )
      : {},
    density: record.density === 'compact' ? 'compact' : 'comfortable',
  }
}

/** All column ids in the user's order. */
export function orderedIds(ids: readonly string[], order: readonly string[]): string[] {
  const known = order.filter((id) => ids.includes(id))
  return [...known, ...ids.filter((id) => !known.includes(id))]
}

/** Settings after column `id` moves `by` places to the right. */
export function moveColumn(
  settings: ColumnSettings,
  ids: readonly string[],
  id: string,
  by: 1 | -1,
): ColumnSettings {
  const order = orderedIds(ids, settings.order)
  const from = order.indexOf(id)
  const to = from + by
  if (from < 0 || to < 0 || to >= order.length) return settings
  order.splice(to, 0, ...order.splice(from, 1))
  return { ...settings, order }
}

/** Visibility per column; the sort column is visible unless the user hid it. */
export const getVisibility = (
  columns: readonly { id: string; isOptional?: boolean; time?: string; sort?: string }[],
  settings: ColumnSettings,
  sortedBy?: string,
): Record<string, boolean> =>
  Object.fromEntries(
    columns.map(({ id, isOptional, time, sort }) => {
      const isSorted =
        sortedBy !== undefined &&
        (sortedBy === time || sortedBy === id || sortedBy === sort?.replace('-', ''))
      return [id, settings.visible[id] ?? (isOptional !== true || isSorted)]
    }),
  )

/** Columns without a value in any row, except those that the user selected. Empty without rows. */
export const emptyIds = <Row>(
  columns: readonly { id: string; hasValue?: (row: Row) => boolean }[],
  rows: readonly Row[],
  settings: ColumnSettings,
): ReadonlySet<string> =>
  new Set(
    rows.length === 0
      ? []
      : columns
          .filter(({ id, hasValue }) => settings.visible[id] !== true && hasValue && !rows.some(hasValue))
          .map(({ id }) => id),
  )

/** Columns of the file: identifying columns first, then the visible ones in order, or all. */
export function csvColumns<Row>(
  list: Pick<ListDefinition<Row, never>, 'columns' | 'csvAlways' | 'isCsvWhole'>,
  shown: readonly ListColumn<Row>[],
): readonly CsvColumn<Row>[] {
  const columns = list.isCsvWhole ? list.columns : shown
  return [...(list.csvAlways ?? []), ...columns.flatMap(({ csv }) => csv ?? [])]
}
