import { createHash } from 'node:crypto'
import { type FileHandle, link, mkdir, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { errorCode, onDisk, syncFolders, unless } from './filesystem-layout.ts'
import { type ByteRange, ContentMismatch, type ExpectedContent, ObjectExists } from './port.ts'

type CheckedContent = {
  /** The source's bytes. The last chunk is withheld until size and digest have been compared. */
  chunks: AsyncIterable<Uint8Array>
  /** Size and digest; known once `chunks` has ended. */
  result(): { size: number; sha256: string }
  /** Set when the source failed or was refused, and not the store. */
  failure(): { error: unknown } | undefined
}

/**
 * Hashes a source on its way into a store and throws ContentMismatch before the end when it differs. The last
 * chunk comes after the comparison, so a consumer that publishes at the end never publishes a wrong object.
 */
export function checkContent(
  source: AsyncIterable<Uint8Array>,
  expect: ExpectedContent = {},
): CheckedContent {
  const hash = createHash('sha256')
  let size = 0
  let sha256 = ''
  let failure: { error: unknown } | undefined

  async function* chunks() {
    let held: Uint8Array | undefined
    try {
      for await (const chunk of source) {
        size += chunk.byteLength
        if (expect.size !== undefined && size > expect.size) throw wrongSize(expect.size, 'more')
        hash.update(chunk)
        if (held) yield held
        held = chunk
      }
      sha256 = hash.digest('hex')
      if (expect.size !== undefined && size < expect.size) throw wrongSize(expect.size, `${size}`)
      if (expect.sha256 !== undefined && sha256 !== expect.sha256) {
        throw new ContentMismatch('wrong_checksum', `expected sha256 ${expect.sha256}, received ${sha256}`)
      }
    } catch (error) {
      failure = { error }
      throw error
    }
    if (held) yield held
  }

  return { chunks: chunks(), result: () => ({ size, sha256 }), failure: () => failure }
}

function wrongSize(expected: number, received: string): ContentMismatch {
  return new ContentMismatch('wrong_size', `expected ${expected} bytes, received ${received}`)
}

/** Reads a source to its end, for its errors. */
export async function consume(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}

/** Closes an unused source, so that its file or socket does not leak. */
export async function discard(source: AsyncIterable<Uint8Array>): Promise<void> {
  // An iterator that has not started would not destroy its stream.
  if (source instanceof Readable) source.destroy()
  else await source[Symbol.asyncIterator]().return?.()
}

const readSize = 1 << 20

/** Bytes [start, end) of an open file, up to its end; into their place in `into` when given. */
export async function* readHandle(
  handle: FileHandle,
  { start, end }: ByteRange,
  into?: Buffer,
): AsyncGenerator<Buffer> {
  // Objects never grow. Allocates by their real size, because most are far smaller than a read.
  const last = end === Infinity ? (await onDisk(() => handle.stat())).size : end
  for (let at = start; at < last;) {
    const wanted = Math.min(readSize, last - at)
    const memory = into?.subarray(at - start) ?? Buffer.allocUnsafe(wanted)
    const { bytesRead } = await onDisk(() => handle.read(memory, 0, wanted, at))
    if (bytesRead === 0) return
    at += bytesRead
    yield memory.subarray(0, bytesRead)
  }
}

/** The folder of a store, and its sync function. */
interface Root {
  root: string
  sync: (folder: string) => Promise<void>
}

/**
 * Reads chunks up to `most` bytes: all of them as `whole`, or, if there are more, all chunks as `chunks` again.
 */
export async function readUpTo(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
): Promise<{ whole: Buffer } | { chunks: AsyncIterable<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]()
  const held: Uint8Array[] = []
  let size = 0
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    held.push(next.value)
    size += next.value.byteLength
    if (size > most) return { chunks: joined(held, iterator) }
  }
  return { whole: Buffer.concat(held) }
}

/** Chunks that were read, then the remaining ones. Ending early also ends the source. */
async function* joined(
  held: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* held
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** Writes and syncs a part: bytes under a temporary name, which `publish` makes an object. */
export async function writePart(part: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await onDisk(() => openNew(part))
  try {
    for await (const chunk of chunks) await onDisk(() => handle.writeFile(chunk))
    await onDisk(() => handle.sync())
  } finally {
    await onDisk(() => handle.close())
  }
}

/** Deletes that may remove the folder of an object before its link. */
const MAX_ATTEMPTS = 20

/**
 * Links a synced part under the name of its object; `settle` makes the name durable. Throws ObjectExists when
 * the name is taken: link() decides between writers, also of other processes. The link is never removed,
 * because another writer may have confirmed the object to its device; but an object that `isPacked` under the key
 * hides it from the beginning.
 */
export async function publish(
  part: string,
  path: string,
  settle: (folder: string) => Promise<void>,
  key: string,
  isPacked: () => boolean,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await link(part, path).catch((error: unknown) => {
        throw errorCode(error) === 'EEXIST' ? new ObjectExists(key) : error
      })
      break
    } catch (error) {
      // A concurrent delete of the folder's last object has removed the folder, in the middle of `mkdir` or after it.
      if (errorCode(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error
    }
  }
  if (isPacked()) {
    await unlink(path)
    throw new ObjectExists(key)
  }
  await settle(dirname(path))
}

/**
 * Makes the object at `path` durable: its content and every folder up to the root, through descriptors of our
 * own. Content was synced before its link, so only names can still be unsynced here.
 */
export async function ensureDurableFile(
  path: string,
  { root, sync }: Root,
  expect: ExpectedContent | undefined,
): Promise<{ size: number } | undefined> {
  const handle = await onDisk(() => unless(['ENOENT', 'ENOTDIR'], () => open(path, mayBeSynced)))
  if (!handle) return undefined
  try {
    const { size } = await onDisk(() => handle.stat())
    if (expect) await consume(checkContent(readHandle(handle, { start: 0, end: Infinity }), expect).chunks)
    await onDisk(() => handle.sync())
    await onDisk(() => syncFolders(dirname(path), root, sync))
    return { size }
  } finally {
    await onDisk(() => handle.close())
  }
}

// Windows syncs only writable files.
const mayBeSynced = process.platform === 'win32' ? 'r+' : 'r'

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return open(path, 'wx', 0o600)
  }
}

/** Tries to remove a part; the sweep removes the rest. */
export const dropPart = (part: string): Promise<void> => unlink(part).catch(() => undefined)
