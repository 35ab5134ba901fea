import type { CsvColumn, ListColumn, ListDefinition } from './list-definition.ts'

/** Columns of the file: those that name the row, then those on screen in their order, or all of them. */
export function csvColumns<Row>(
  list: Pick<ListDefinition<Row, never>, 'columns' | 'csvAlways' | 'isCsvWhole'>,
  shown: readonly ListColumn<Row>[],
): readonly CsvColumn<Row>[] {
  const columns = list.isCsvWhole ? list.columns : shown
  return [...(list.csvAlways ?? []), ...columns.flatMap(({ csv }) => csv ?? [])]
}
