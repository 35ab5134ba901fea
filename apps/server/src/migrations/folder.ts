import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { migration } from '@custodia/domain'

/** A file of a drop folder. */
export interface DroppedFile {
  /** Path within the folder, with `/`. */
  filename: string
  size: number
  /** Not still on its way. */
  is_whole: boolean
}

/** Ends the name of what is still on its way. */
const PART = '.part'
/** Bytes that are read at a time. */
const CHUNK = 1024 ** 2

/** Where somebody puts the files of a client. */
export const dropFolder = (dataDir: string, client: string): string =>
  join(dataDir, 'migrations', client, 'incoming')

/** Whole files of a drop folder, by name. */
export const listDropped = async (folder: string): Promise<DroppedFile[]> =>
  (await listFolder(folder)).filter(({ is_whole }) => is_whole)

/** Files of a drop folder that people can see, by name, those on their way among them. Links are passed over, wherever they lead. */
export async function listFolder(folder: string): Promise<DroppedFile[]> {
  const found: DroppedFile[] = []
  const walk = async (within: string): Promise<void> => {
    const entries = await readdir(join(folder, within), { withFileTypes: true }).catch(ignoreMissing)
    for (const entry of entries ?? []) {
      const filename = within + entry.name
      if (entry.isDirectory() && (within !== '' || entry.name === 'media')) await walk(`${filename}/`)
      else if (entry.isFile() && migration.isMigrationPath(filename)) {
        const is_whole = !filename.endsWith(PART)
        // A name that is no UTF-8 cannot be opened by it: it is listed, and the run says so. What went away meanwhile is not.
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

/** The work for which a file is read: it is told of each part, and ends the reading by throwing. */
export type NoteRead = (bytes: number) => void

/** Bytes of a file of a drop folder. Throws ENOENT where there is none, or a link in its place. */
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
  if (!migration.isMigrationPath(filename)) throw new RangeError('not a name of a migration file')
  return filename
}

/** A file changed after it was scanned. */
export class SourceChanged extends Error {
  override name = 'SourceChanged'
}

/** As `readDropped`, of a file that is as it was when it was scanned. Throws SourceChanged at its end, where it is not. */
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new SourceChanged(`${filename} is gone`)
    throw error
  }
  if (hash.digest('hex') !== sha256) throw new SourceChanged(`${filename} is another one than was scanned`)
}

/** Whether a file is there as it was scanned. */
export async function isUnchanged(
  folder: string,
  { filename, sha256 }: { filename: string; sha256: string },
): Promise<boolean> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of readDropped(folder, filename)) hash.update(chunk)
  } catch (error) {
    // Gone, or a link in its place.
    if (['ENOENT', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
  return hash.digest('hex') === sha256
}

/** Removes a whole file, and nothing that is on its way under its name. */
export const removeWhole = (folder: string, filename: string): Promise<void> =>
  rm(join(folder, checked(filename)), { force: true })

/** Bytes that have come of a file that is still on its way. */
export async function receivedOf(folder: string, filename: string): Promise<number> {
  return (await lstat(join(folder, checked(filename) + PART)).catch(ignoreMissing))?.size ?? 0
}

/** Writes a part of a file, the first of which begins it anew; durable when resolved. One at a time writes, and none leaves a gap. */
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
    await handle.write(bytes, 0, bytes.length, offset)
    // Of something longer that was broken off.
    if (isLast) await handle.truncate(offset + bytes.length)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** What has come of a file is the whole of it, and takes the place of one of its name. False: its digest is another one, and it is gone. */
export async function completePart(
  folder: string,
  filename: string,
  sha256: string | undefined,
): Promise<boolean> {
  const path = join(folder, checked(filename))
  const hash = createHash('sha256')
  if (sha256 !== undefined)
    for await (const chunk of createReadStream(path + PART)) hash.update(chunk as Buffer)
  if (sha256 !== undefined && hash.digest('hex') !== sha256) {
    await rm(path + PART, { force: true })
    return false
  }
  await rename(path + PART, path)
  return true
}

/** Removes a file, and what is on its way under its name. False: there was none. */
export async function removeDropped(folder: string, filename: string): Promise<boolean> {
  const path = join(folder, checked(filename))
  const found = await Promise.all([path, path + PART].map((each) => lstat(each).catch(ignoreMissing)))
  await Promise.all([path, path + PART].map((each) => rm(each, { force: true })))
  return found.some((each) => each !== undefined)
}
