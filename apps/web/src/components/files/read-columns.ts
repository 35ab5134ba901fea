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
  /** Other usual names of a column, lower case and without accents: `last_name`. */
  synonyms?: Partial<Record<Column, readonly string[]>>
}

/** Names of the columns of a file, for each field; empty: the file does not have it. Absent: by the name of the field. */
export type ChosenColumns<Column extends string> = Partial<Record<Column, string>>

/** Names in the first line of a file. */
export const getHeaders = (text: string): string[] =>
  (parseCsv(text)[0]?.cells ?? []).map((name) => name.trim()).filter((name) => name !== '')

/** The column of the file that has a field; undefined: none. A chosen name that the file lacks does not count. */
export function getHeader<Column extends string>(
  headers: readonly string[],
  field: Column,
  chosen: ChosenColumns<Column>,
  synonyms: FileShape<Column>['synonyms'] = {},
): string | undefined {
  const name = chosen[field]
  if (name === '') return undefined
  if (name !== undefined && headers.includes(name)) return name
  return [field, ...(synonyms[field] ?? [])]
    .map((known) => headers.find((each) => spelt(each) === known))
    .find((found) => found !== undefined)
}

/**
 * Lines of a file whose header names its columns in any order; empty without an identifying column. An overlong cell
 * is cut, so that the server refuses that line only.
 */
export function readColumns<Column extends string>(
  text: string,
  { columns, identifying, limit, synonyms }: FileShape<Column>,
  chosen: ChosenColumns<Column> = {},
): FileLine<Column>[] {
  const [first, ...lines] = parseCsv(text)
  const headers = (first?.cells ?? []).map((name) => name.trim())
  const places = columns.flatMap((field) => {
    const header = getHeader(headers, field, chosen, synonyms)
    return header === undefined ? [] : [[field, headers.indexOf(header)] as const]
  })
  if (!places.some(([field]) => identifying.includes(field))) return []
  return lines.map(({ line, cells }) => ({
    line,
    row: Object.fromEntries(
      places.flatMap(([field, place]) => {
        const cell = cells[place]
        return cell === undefined ? [] : [[field, cell.trim().replace(/\s+/g, ' ').slice(0, limit)]]
      }),
    ) as Partial<Record<Column, string>>,
  }))
}

const spelt = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
