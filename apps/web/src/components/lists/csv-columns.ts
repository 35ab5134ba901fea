import type { CsvColumn, ListColumn, ListDefinition } from './list-definition.ts'

/** Columns of the file: identifying columns first, then the visible ones in order, or all. */
export function csvColumns<Row>(
  list: Pick<ListDefinition<Row, never>, 'columns' | 'csvAlways' | 'isCsvWhole'>,
  shown: readonly ListColumn<Row>[],
): readonly CsvColumn<Row>[] {
  const columns = list.isCsvWhole ? list.columns : shown
  return [...(list.csvAlways ?? []), ...columns.flatMap(({ csv }) => csv ?? [])]
}
