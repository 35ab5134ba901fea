import { parseCsv } from '../../ui/parse-csv.ts'

/** A line of a file, as the server takes it, and where it stands. */
export interface FileLine<Column extends string> {
  line: number
  row: Partial<Record<Column, string>>
}

/** What a file may say: its columns, those of which one must be there, and the most characters of a cell. */
export interface FileShape<Column extends string> {
  columns: readonly Column[]
  identifying: readonly Column[]
  limit: number
}

/**
 * The lines of a file whose first line names its columns, in any order, with those that are known; none where no column tells what a line
 * is about. A cell that is too long is cut: its line is refused by itself, not the whole file.
 */
export function readColumns<Column extends string>(
  text: string,
  { columns, identifying, limit }: FileShape<Column>,
): FileLine<Column>[] {
  const [first, ...lines] = parseCsv(text)
  const named = (first?.cells ?? []).map((name) => columnOf(name, columns))
  if (!identifying.some((column) => named.includes(column))) return []
  return lines.map(({ line, cells }) => ({
    line,
    row: Object.fromEntries(
      named.flatMap((column, place) => {
        const cell = cells[place]
        return column === undefined || cell === undefined
          ? []
          : [[column, cell.trim().replace(/\s+/g, ' ').slice(0, limit)]]
      }),
    ) as Partial<Record<Column, string>>,
  }))
}

function columnOf<Column extends string>(name: string, columns: readonly Column[]): Column | undefined {
  const spelt = name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  return columns.find((column) => column === spelt)
}
