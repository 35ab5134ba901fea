import { parseCsv } from '../../ui/files.ts'

/** A line of a file in the API's shape, with its position. */
export interface FileLine<Column extends string> {
  line: number
  row: Partial<Record<Column, string>>
}

/** Columns of a file, the required ones of which one must exist, and the maximum cell length. */
export interface FileShape<Column extends string> {
  columns: readonly Column[]
  identifying: readonly Column[]
  limit: number
}

/**
 * Lines of a file whose header names its columns in any order; empty without an identifying column. An overlong cell
 * is cut, so that the server refuses that line only.
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
