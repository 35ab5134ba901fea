import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { csvText, type MigrationResult } from '@custodia/contract'
import { migration } from '@custodia/domain'

/** A file in a drop folder. */
export interface DroppedFile {
  /** Path within the folder, with `/`. */
  filename: string
  size: number
  /** Whether the upload is complete. */
  is_whole: boolean
}

/** Suffix of an incomplete upload. */
const PART = '.part'
/** Bytes per read. */
const CHUNK = 1024 ** 2

/** Drop folder of a client. */
export const dropFolder = (dataDir: string, client: string): string =>
  join(dataDir, 'migrations', client, 'incoming')

/** Complete files of a drop folder, by name. */
export const listDropped = async (folder: string): Promise<DroppedFile[]> =>
  (await listFolder(folder)).filter(({ is_whole }) => is_whole)

/** Visible files of a drop folder by name, also incomplete ones. Symbolic links are skipped. */
export async function listFolder(folder: string): Promise<DroppedFile[]> {
  const found: DroppedFile[] = []
  const walk = async (within: string): Promise<void> => {
    const entries = await readdir(join(folder, within), { withFileTypes: true }).catch(ignoreMissing)
    for (const entry of entries ?? []) {
      const filename = within + entry.name
      if (entry.isDirectory() && (within !== '' || entry.name === 'media')) await walk(`${filename}/`)
      else if (entry.isFile() && migration.isMigrationPath(filename)) {
        const is_whole = !filename.endsWith(PART)
        // A name that is not UTF-8 cannot be opened: it is listed and reported. A file deleted meanwhile is not.
        const stats = await lstat(join(folder, filename)).catch(ignoreMissing)
        if (!stats && !filename.includes('\uFFFD')) continue
        const { size } = stats ?? { size: 0 }
        found.push({ filename: is_whole ? filename : filename.slice(0, -PART.length), size, is_whole })
      }
    }
  }
  await walk('')
  return found.sort((a, b) => (a.filename < b.filename ? -1 : 1))
}

const ignoreMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT') return undefined
  throw error
}

/** Called with the bytes of each read; throws to stop the reading. */
export type NoteRead = (bytes: number) => void

/** Bytes of a file. Throws ENOENT when it is missing or a link. */
export async function* readDropped(
  folder: string,
  filename: string,
  noteRead?: NoteRead,
): AsyncGenerator<Buffer> {
  const handle = await openDropped(folder, filename)
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK)
      if (bytesRead === 0) return
      noteRead?.(bytesRead)
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

const openDropped = (folder: string, filename: string): Promise<FileHandle> =>
  open(join(folder, checked(filename)), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))

function checked(filename: string): string {
  if (!migration.isMigrationPath(filename)) throw new RangeError('not a valid migration file name')
  return filename
}

/** The file changed after its scan. */
export class SourceChanged extends Error {
  override name = 'SourceChanged'
}

/** As `readDropped` for a scanned file. Throws SourceChanged at the end when it differs. */
export async function* readScanned(
  folder: string,
  { filename, sha256 }: { filename: string; sha256: string },
  noteRead: NoteRead,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of readDropped(folder, filename, noteRead)) {
      hash.update(chunk)
      yield chunk
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new SourceChanged(`${filename} does not exist`)
    throw error
  }
  if (hash.digest('hex') !== sha256) throw new SourceChanged(`${filename} is another one than was scanned`)
}

/** Whether a file equals its scan. */
export async function isUnchanged(
  folder: string,
  { filename, sha256 }: { filename: string; sha256: string },
): Promise<boolean> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of readDropped(folder, filename)) hash.update(chunk)
  } catch (error) {
    // Deleted, or replaced by a link.
    if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
  return hash.digest('hex') === sha256
}

/** Removes a complete file; an incomplete upload of the same name stays. */
export const removeWhole = (folder: string, filename: string): Promise<void> =>
  rm(join(folder, checked(filename)), { force: true })

/** Received bytes of an incomplete upload. */
export async function getReceived(folder: string, filename: string): Promise<number> {
  return (await lstat(join(folder, checked(filename) + PART)).catch(ignoreMissing))?.size ?? 0
}

/** Writes a part of a file durably; the first starts it anew. Parts are serialised and leave no gap. */
export async function addPart(
  folder: string,
  filename: string,
  { offset, bytes, isLast }: { offset: number; bytes: Buffer; isLast: boolean },
): Promise<void> {
  const path = join(folder, checked(filename) + PART)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const flags = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  const handle = await open(path, flags, 0o600)
  try {
    if (offset === 0) await handle.truncate(0)
    // A nearly full disk writes a part of the bytes, and fails at the next write.
    for (let done = 0; done < bytes.length;)
      done += (await handle.write(bytes, done, bytes.length - done, offset + done)).bytesWritten
    // Cuts the rest of a longer interrupted upload.
    if (isLast) await handle.truncate(offset + bytes.length)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Completes an upload and replaces the file of that name. False for a wrong digest; the upload is then deleted. */
export async function completePart(folder: string, filename: string, sha256: string): Promise<boolean> {
  const path = join(folder, checked(filename))
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path + PART)) hash.update(chunk as Buffer)
  if (hash.digest('hex') !== sha256) {
    await rm(path + PART, { force: true })
    return false
  }
  await rename(path + PART, path)
  return true
}

/** Removes a file and its incomplete upload. False without either. */
export async function removeDropped(folder: string, filename: string): Promise<boolean> {
  const path = join(folder, checked(filename))
  const found = await Promise.all([path, path + PART].map((each) => lstat(each).catch(ignoreMissing)))
  await Promise.all([path, path + PART].map((each) => rm(each, { force: true })))
  return found.some((each) => each !== undefined)
}

const COLUMNS = [
  'sequence',
  'result_class',
  'result_type',
  'kind',
  'item',
  'filename',
  'line',
  'payload_reference',
] as const

const cell = (value: string | number | null): string =>
  `"${csvText(String(value ?? '')).replaceAll('"', '""')}"`

export const RESULTS_HEADING = [...COLUMNS, 'faults'].join(',')

/** A result as a CSV line, without its end. */
export const resultLine = (result: MigrationResult): string =>
  [
    ...COLUMNS.map((column) => cell(result[column])),
    cell(result.faults.map(({ path, message }) => `${path}: ${message}`).join(' ')),
  ].join(',')
