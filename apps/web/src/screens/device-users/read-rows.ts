import { IMPORT_CELL_LIMIT, IMPORT_COLUMNS, type ImportColumn, type ImportRow } from '@custodia/contract'
import { parseCsv } from '../../components/lists/parse-csv.ts'

/** A line of a file, as the import takes it, and where it stands. */
export interface FileRow {
  line: number
  row: ImportRow
}

/**
 * The people of a file whose first line names its columns. Columns that the import does not know are named; without that of the references
 * there are no rows.
 */
export function readRows(text: string): { rows: FileRow[]; unknown: string[] } {
  const [first, ...lines] = parseCsv(text)
  const head = first?.cells ?? []
  const columns = head.map((name) => columnOf(name))
  const unknown = head.filter((name, i) => columns[i] === undefined && name.trim() !== '')
  if (!columns.includes('device_user_reference')) return { rows: [], unknown }
  const rows = lines.map(({ line, cells }) => ({
    line,
    row: Object.fromEntries(
      columns.flatMap((column, place) => {
        const cell = cells[place]
        return column === undefined || cell === undefined ? [] : [[column, cleaned(cell)]]
      }),
    ) as ImportRow,
  }))
  return { rows, unknown }
}

const columnOf = (name: string): ImportColumn | undefined =>
  IMPORT_COLUMNS.find(
    (column) =>
      column ===
      name
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, '_'),
  )

/** What is too long is refused by itself, not with the whole file. */
const cleaned = (cell: string): string => cell.trim().replace(/\s+/g, ' ').slice(0, IMPORT_CELL_LIMIT)
