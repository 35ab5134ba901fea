import type { MIGRATION_KINDS } from '@custodia/contract'

/** What the rows of a file are of. */
export type MigrationKind = (typeof MIGRATION_KINDS)[number]

/** The folder of recordings, next to the row files. */
export const MEDIA_FOLDER = 'media/'
/** Says what the files are to be: their SHA-256. */
export const MANIFEST = 'manifest.json'

/** The kind of a file in a drop folder, by its path. The run skips `unknown` files and reports them. */
export function migrationFile(path: string): MigrationKind | 'media' | 'manifest' | 'unknown' {
  if (path === MANIFEST) return 'manifest'
  if (path.startsWith(MEDIA_FOLDER)) return 'media'
  if (/^groups[^/]*\.csv$/i.test(path)) return 'Group'
  if (/^users[^/]*\.csv$/i.test(path)) return 'DeviceUser'
  if (/^devices[^/]*\.csv$/i.test(path)) return 'Device'
  if (/^payloads[^/]*\.(?:csv|ndjson)$/i.test(path)) return 'Payload'
  return 'unknown'
}

/** Maximum characters of a path within a drop folder. */
export const PATH_LENGTH = 500

/** Whether a path stays within a drop folder and names a file that people can see. */
export const isMigrationPath = (path: string): boolean =>
  path.length <= PATH_LENGTH &&
  !/\.part\.part$/i.test(path) &&
  path.split('/').every((part) => /^[^.\s/\\][^/\\\p{Cc}]*$/u.test(part) && !part.endsWith(' ')) &&
  (!path.includes('/') || path.startsWith(MEDIA_FOLDER))

/** A line of a file, and where it begins. */
export interface Line {
  /** Counted from 1, with the heading. */
  line: number
  cells: string[]
}

/** Maximum characters of a row, so that an unclosed quote does not consume a whole file. */
export const LINE_LIMIT = 2 * 1024 ** 2

/** A file that cannot be read from some line on. */
export class UnreadableFile extends Error {
  override name = 'UnreadableFile'
  readonly line: number
  /** Characters that its line may have, where it has more; undefined: a quote is not closed. */
  readonly limit: number | undefined
  constructor(line: number, message: string, limit?: number) {
    super(message)
    this.line = line
    this.limit = limit
  }
}

/** Lines of a CSV file (RFC 4180), a piece of it at a time; a byte order mark and empty lines are passed over. Throws UnreadableFile. */
export async function* csvLines(pieces: AsyncIterable<string>): AsyncGenerator<Line> {
  let cells: string[] = []
  let cell = ''
  let length = 0
  let line = 1
  let begins = 1
  let isQuoted = false
  /** The last character was a quote within quotes: a second one stands for itself, anything else ends them. */
  let isQuote = false
  let isFirst = true
  const end = (): Line | undefined => {
    const row = { line: begins, cells: [...cells, cell] }
    cells = []
    cell = ''
    length = 0
    return row.cells.length === 1 && row.cells[0] === '' ? undefined : row
  }
  for await (const piece of pieces) {
    const text: string = isFirst && piece.startsWith('\uFEFF') ? piece.slice(1) : piece
    isFirst &&= piece === ''
    for (const char of text) {
      if (++length > LINE_LIMIT)
        throw new UnreadableFile(begins, 'a line is too long, or a quote is not closed', LINE_LIMIT)
      if (isQuoted && isQuote) {
        isQuote = false
        if (char === '"') {
          cell += char
          continue
        }
        isQuoted = false
      } else if (isQuoted) {
        if (char === '"') isQuote = true
        else cell += char
        if (char === '\n') line++
        continue
      }
      if (char === '"' && cell === '') isQuoted = true
      else if (char === ',') {
        cells.push(cell)
        cell = ''
      } else if (char === '\n') {
        if (cell.endsWith('\r')) cell = cell.slice(0, -1)
        const row = end()
        line++
        begins = line
        if (row) yield row
      } else cell += char
    }
  }
  if (isQuoted && !isQuote) throw new UnreadableFile(begins, 'a quote is not closed')
  if (cell.endsWith('\r')) cell = cell.slice(0, -1)
  const last = end()
  if (last) yield last
}

/** Lines of text, without their ends. Throws UnreadableFile. */
export async function* textLines(
  pieces: AsyncIterable<string>,
): AsyncGenerator<{ line: number; text: string }> {
  let rest = ''
  let line = 0
  for await (const piece of pieces) {
    const parts = (rest + piece).split('\n')
    rest = parts.pop() ?? ''
    for (const text of parts) yield { line: ++line, text }
    if (rest.length > LINE_LIMIT) throw new UnreadableFile(line + 1, 'a line is too long', LINE_LIMIT)
  }
  if (rest.trim() !== '') yield { line: ++line, text: rest }
}
