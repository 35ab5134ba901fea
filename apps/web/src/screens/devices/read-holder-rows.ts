import { HOLDER_CELL_LIMIT, HOLDER_COLUMNS, type HolderColumn, type HolderRow } from '@custodia/contract'
import { parseCsv } from '../../components/lists/parse-csv.ts'

/** A line of a file of devices, and where it stands. */
export interface HolderLine {
  line: number
  row: HolderRow
}

/** The devices of a file whose first line names its columns; none where neither of the two that name a device is there. */
export function readHolderRows(text: string): HolderLine[] {
  const [first, ...lines] = parseCsv(text)
  const head = first?.cells ?? []
  const columns = head.map(columnOf)
  if (!columns.includes('serial_number') && !columns.includes('device_reference')) return []
  return lines.map(({ line, cells }) => ({
    line,
    row: Object.fromEntries(
      columns.flatMap((column, place) => {
        const cell = cells[place]?.trim().slice(0, HOLDER_CELL_LIMIT)
        return column === undefined || !cell ? [] : [[column, cell]]
      }),
    ),
  }))
}

const columnOf = (name: string): HolderColumn | undefined =>
  HOLDER_COLUMNS.find(
    (column) =>
      column ===
      name
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, '_'),
  )
