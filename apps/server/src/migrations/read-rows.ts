import { isUtf8 } from 'node:buffer'
import { type Fault, fault } from '@custodia/contract'
import { migration } from '@custodia/domain'
import { type NoteRead, readScanned } from './folder.ts'

/** A row of a file, or why nothing more of the file can be read. */
export interface FileRow {
  line: number
  /** Undefined: this row, or all from here on, cannot be read. */
  cells: migration.Cells | undefined
  /** Why not, where that is known. */
  faults?: Fault[]
}

/** Rows of a file as it was scanned. Throws SourceChanged. */
export async function* fileRows(
  folder: string,
  file: { filename: string; sha256: string },
  noteRead: NoteRead,
): AsyncGenerator<FileRow> {
  const pieces = unmarked(decoded(readScanned(folder, file, noteRead)))
  try {
    for await (const row of file.filename.toLowerCase().endsWith('.ndjson')
      ? ofNdjson(pieces)
      : ofCsv(pieces))
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

/** Whether it can be kept: no database takes NUL, or half a character. */
const isKept = (value: string) => !value.includes('\0') && value.isWellFormed()
function isText(cells: migration.Cells | undefined): boolean {
  return cells === undefined || Object.values(cells).every((value) => [value].flat().every(isKept))
}

/** Half a character: what stands where bytes are no UTF-8, so that their row is refused and nobody imports it with other letters. */
const HALF = '\uD800'
/** Bytes of a line that are kept: more than any may have. */
const KEPT_OF_LINE = 4 * migration.LINE_LIMIT

/** Text of bytes, some whole lines at a time. */
async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = []
  let kept = 0
  for await (const chunk of bytes) {
    const end = chunk.lastIndexOf(0x0a) + 1
    rest.push(chunk.subarray(0, end))
    kept += chunk.length
    // A line that is too long is told as such, wherever it is cut.
    if (end === 0 && kept <= KEPT_OF_LINE) {
      rest[rest.length - 1] = chunk
      continue
    }
    yield textOf(Buffer.concat(rest))
    rest = [chunk.subarray(end)]
    kept = chunk.length - end
  }
  yield textOf(Buffer.concat(rest))
}

/** Without the mark of its byte order, which the file may begin with. */
async function* unmarked(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let isFirst = true
  for await (const piece of pieces) {
    yield isFirst ? piece.replace(/^\uFEFF/, '') : piece
    isFirst &&= piece === ''
  }
}

function textOf(bytes: Buffer): string {
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

async function* ofCsv(pieces: AsyncIterable<string>): AsyncGenerator<FileRow> {
  let columns: string[] | undefined
  for await (const { line, cells } of migration.csvLines(pieces)) {
    if (!columns) {
      if (!cells.every(isKept)) {
        yield { line, cells: undefined, faults: NO_TEXT }
        return
      }
      columns = cells.map(migration.columnName)
      const twice = columns.find((name, i) => name !== '' && columns?.indexOf(name) !== i)
      if (twice !== undefined) {
        // Which of both is meant nobody can tell; no row is read.
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

async function* ofNdjson(pieces: AsyncIterable<string>): AsyncGenerator<FileRow> {
  for await (const { line, text } of migration.textLines(pieces)) {
    if (text.trim() !== '') yield { line, ...ofObject(text) }
  }
}

/** No cells for what is no flat object, or names a column twice. */
function ofObject(text: string): Omit<FileRow, 'line'> {
  let stated: unknown
  try {
    stated = JSON.parse(text)
  } catch {
    return { cells: undefined }
  }
  if (typeof stated !== 'object' || stated === null || Array.isArray(stated)) return { cells: undefined }
  const cells: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(stated)) {
    const parts: unknown[] = Array.isArray(value) ? value : [value]
    if (parts.some((part) => typeof part === 'object' && part !== null)) return { cells: undefined }
    if (value !== null)
      cells[migration.columnName(name)] = Array.isArray(value)
        ? value.map((part) => String(part ?? ''))
        : String(value)
  }
  const twice = namedTwice(text)
  return twice === undefined ? { cells } : { cells: undefined, faults: [fault(twice || 'row', 'not_unique')] }
}

/** Texts of valid JSON, with the colon behind those that are keys. */
const TEXTS = /("(?:[^"\\]|\\.)*")\s*(:)?/g

/** The key of a flat object that names a column again, in the same way or another: which is meant nobody can tell, and JSON.parse keeps the last. */
function namedTwice(object: string): string | undefined {
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

/** What is wrong with a row that cannot be read. */
export const unreadable = () => [fault('row', 'invalid')]
/** What is wrong with one that is no text in UTF-8, or has characters that nothing can keep. */
const NO_TEXT = [fault('row', 'not_text')]
