import { isUtf8 } from 'node:buffer'
import { type Fault, fault } from '@custodia/contract'
import { migration } from '@custodia/domain'
import { type NoteRead, readScanned } from './folder.ts'

/** A row of a file, or why the rest cannot be read. */
export interface FileRow {
  line: number
  /** Undefined: this row or the rest is unreadable. */
  cells: migration.Cells | undefined
  /** Reasons, if known. */
  faults?: Fault[]
}

/** Rows of a scanned file. Throws SourceChanged. */
export async function* fileRows(
  folder: string,
  file: { filename: string; sha256: string },
  noteRead: NoteRead,
): AsyncGenerator<FileRow> {
  const pieces = withoutByteOrderMark(decodeText(readScanned(folder, file, noteRead)))
  try {
    for await (const row of file.filename.toLowerCase().endsWith('.ndjson')
      ? parseNdjson(pieces)
      : parseCsv(pieces))
      yield isText(row.cells) ? row : { line: row.line, cells: undefined, faults: NO_TEXT }
  } catch (error) {
    if (!(error instanceof migration.UnreadableFile)) throw error
    const { line, limit } = error
    yield {
      line,
      cells: undefined,
      faults: limit === undefined ? unreadable() : [fault('row', 'too_long', { limit })],
    }
  }
}

/** Databases store neither NUL nor lone surrogates. */
const isKept = (value: string) => !value.includes('\0') && value.isWellFormed()
function isText(cells: migration.Cells | undefined): boolean {
  return cells === undefined || Object.values(cells).every((value) => [value].flat().every(isKept))
}

/** A lone surrogate replaces invalid UTF-8, so that the row is refused instead of imported with wrong letters. */
const HALF = '\uD800'
/** Maximum columns of a file and fields of an object: each row of a file has all its columns in memory. */
export const COLUMNS_LIMIT = 1000
/** Stored bytes of a line: more than the limit. */
const KEPT_OF_LINE = 4 * migration.LINE_LIMIT

/** Decodes bytes by whole lines. */
async function* decodeText(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = []
  let kept = 0
  for await (const chunk of bytes) {
    const end = chunk.lastIndexOf(0x0a) + 1
    rest.push(chunk.subarray(0, end))
    kept += chunk.length
    // A line above the limit gets the same fault wherever it is cut.
    if (end === 0 && kept <= KEPT_OF_LINE) {
      rest[rest.length - 1] = chunk
      continue
    }
    yield getText(Buffer.concat(rest))
    rest = [chunk.subarray(end)]
    kept = chunk.length - end
  }
  yield getText(Buffer.concat(rest))
}

/** Removes the byte order mark. */
async function* withoutByteOrderMark(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for await (const piece of pieces) {
    yield isFirst ? piece.replace(/^\uFEFF/, '') : piece
    isFirst &&= piece === ''
  }
}

function getText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let text = ''
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(0x0a, from) + 1 || bytes.length
    const line = bytes.subarray(from, end)
    text += isUtf8(line) ? line.toString('utf8') : line.toString('utf8').replaceAll('\uFFFD', HALF)
    from = end
  }
  return text
}

async function* parseCsv(pieces: AsyncIterable<string>): AsyncGenerator<FileRow> {
  let columns: string[] | undefined
  for await (const { line, cells } of migration.csvLines(pieces)) {
    if (!columns) {
      const faults = faultsOfHeading(cells)
      if (faults) {
        yield { line, cells: undefined, faults }
        return
      }
      columns = cells.map(migration.columnName)
      const twice = columns.find((name, i) => name !== '' && columns?.indexOf(name) !== i)
      if (twice !== undefined) {
        // A duplicate column is ambiguous, so no row is read.
        yield {
          line,
          cells: undefined,
          faults: [fault(cells[columns.lastIndexOf(twice)] ?? twice, 'not_unique')],
        }
        return
      }
    } else {
      const row = Object.fromEntries(columns.flatMap((name, i) => (name ? [[name, cells[i] ?? '']] : [])))
      yield { line, cells: cells.length > columns.length ? undefined : row }
    }
  }
}

/** Why no row below the heading can be read. A lone carriage return: it ends lines, which makes the file one line. */
function faultsOfHeading(cells: readonly string[]): Fault[] | undefined {
  if (!cells.every(isKept)) return NO_TEXT
  if (cells.length > COLUMNS_LIMIT) return TOO_MANY
  return cells.some((cell) => /\r(?!\n)/.test(cell)) ? unreadable() : undefined
}

async function* parseNdjson(pieces: AsyncIterable<string>): AsyncGenerator<FileRow> {
  for await (const { line, text } of migration.textLines(pieces)) {
    if (text.trim() !== '') yield { line, ...parseObject(text) }
  }
}

/** Returns no cells unless the text is a flat object with unique keys. */
function parseObject(text: string): Omit<FileRow, 'line'> {
  let stated: unknown
  try {
    stated = JSON.parse(text)
  } catch {
    return { cells: undefined }
  }
  if (typeof stated !== 'object' || stated === null || Array.isArray(stated)) return { cells: undefined }
  if (Object.keys(stated).length > COLUMNS_LIMIT) return { cells: undefined, faults: TOO_MANY }
  const cells: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(stated)) {
    const parts: unknown[] = Array.isArray(value) ? value : [value]
    if (parts.some((part) => typeof part === 'object' && part !== null)) return { cells: undefined }
    if (value !== null)
      cells[migration.columnName(name)] = Array.isArray(value)
        ? value.map((part) => String(part ?? ''))
        : String(value)
  }
  const twice = duplicateKey(text)
  return twice === undefined ? { cells } : { cells: undefined, faults: [fault(twice || 'row', 'not_unique')] }
}

/** Strings of valid JSON, with the colon after keys. */
const TEXTS = /("(?:[^"\\]|\\.)*")\s*(:)?/g

/** The first duplicate key of a flat object. It is ambiguous, and JSON.parse keeps the last one. */
function duplicateKey(object: string): string | undefined {
  const columns = new Set<string>()
  for (const [, text = '', colon] of object.matchAll(TEXTS)) {
    if (colon === undefined) continue
    const name = String(JSON.parse(text))
    const column = migration.columnName(name)
    if (columns.has(column)) return name
    columns.add(column)
  }
  return undefined
}

/** Fault of an unreadable row. */
export const unreadable = () => [fault('row', 'invalid')]
/** Fault of a row with invalid UTF-8 or characters that cannot be stored. */
const NO_TEXT = [fault('row', 'not_text')]
const TOO_MANY = [fault('row', 'too_many', { limit: COLUMNS_LIMIT })]
