import { createHash, type Hash } from 'node:crypto'
import { dirname, join } from 'node:path/posix'
/**
 * One connection to an SFTP server, in its own thread: without it, a file of 200 MB took 22 to 44 % longer and
 * half as much processor time again, and encryption would block the process.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { TargetProblem } from './port.ts'
import {
  connectSftp,
  type FromThread,
  MOVED_MS,
  PIECE,
  type SftpConnection,
  sent,
  getSlot,
  type ThreadSettings,
  type ToThread,
  type WrittenFile,
} from './sftp-connect.ts'
import { SftpFiles } from './sftp-files.ts'

/** Concurrent read requests for one file: more than the 2 MiB that the library's window allows. */
const AHEAD = 16
/** Bytes by which the reading of a large file follows its writing. */
const LAG = 8 << 20

/** The content of a file in transit: pieces in order, each released when the server has it. */
interface IncomingFile {
  pieces: AsyncIterable<{ bytes: Buffer; release(): void }>
  /** Whether this side computes the checksum. */
  isDigested: boolean
  /** Else it is known after all pieces. */
  sha256(): string
}

/** How far a file is written, for its reader. */
class Progress {
  /** Bytes from the start that the server has confirmed. */
  confirmed = 0
  /** Bytes of the whole file once all are confirmed. */
  size: number | undefined
  #changed = Promise.withResolvers<void>()

  note(confirmed: number, size?: number): void {
    this.confirmed = confirmed
    this.size = size
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }

  /** The end of what may be read: one byte more than a whole file, which detects a longer one. */
  get end(): number {
    return this.size === undefined ? Math.max(0, this.confirmed - LAG) : this.size + 1
  }

  /** Resolves once bytes from `at` on may be read. */
  async reaches(at: number): Promise<void> {
    while (this.end <= at && this.size === undefined) await this.#changed.promise
  }
}

/** Writes from the start of an open file and syncs it. The sender of the pieces limits the concurrency. */
async function writeAll(
  files: SftpFiles,
  handle: Buffer,
  content: IncomingFile,
  progress: Progress,
): Promise<WrittenFile> {
  const digest = content.isDigested ? createHash('sha256') : undefined
  const underWay = new Map<number, Promise<void>>()
  let failure: { error: unknown } | undefined
  let bytes = 0
  try {
    for await (const piece of content.pieces) {
      digest?.update(piece.bytes)
      const at = bytes
      const written = files
        .write(handle, piece.bytes, at)
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => {
          underWay.delete(at)
          piece.release()
          const [first = bytes] = underWay.keys()
          if (!failure) progress.note(first)
        })
      underWay.set(at, written)
      bytes += piece.bytes.length
      if (failure) break
    }
    await Promise.all(underWay.values())
    if (failure) throw (failure as { error: unknown }).error
    progress.note(bytes, bytes)
    // After the whole content: a server may run concurrent requests in any order.
    await files.sync(handle)
    return { bytes, sha256: digest?.digest('hex') ?? content.sha256() }
  } finally {
    await Promise.all(underWay.values())
    // The reader of a failed file ends.
    progress.note(0, progress.size ?? 0)
  }
}

/** Length and SHA-256 of an open file as read back, as far as it is written. */
async function readBack(files: SftpFiles, handle: Buffer, progress: Progress): Promise<WrittenFile> {
  const digest = createHash('sha256')
  const coming: Promise<number>[] = []
  let asked = 0
  let bytes = 0
  let turn: Promise<unknown> = Promise.resolve()
  const ask = () => {
    const length = Math.min(PIECE, progress.end - asked)
    if (length < PIECE && progress.size === undefined) return false
    if (length <= 0 || coming.length === AHEAD) return false
    const next = whole(files, handle, { at: asked, length }, turn, digest)
    next.catch(() => undefined)
    turn = next
    coming.push(next)
    asked += length
    return true
  }
  for (;;) {
    while (ask());
    const next = coming.shift()
    if (next) bytes += await next
    else if (progress.size === undefined) await progress.reaches(asked + PIECE - 1)
    else return { bytes, sha256: digest.digest('hex') }
  }
}

/**
 * Digests a part of a file after the previous parts. A server may return fewer bytes than requested; none is
 * the end.
 */
async function whole(
  files: SftpFiles,
  handle: Buffer,
  { at, length }: { at: number; length: number },
  before: Promise<unknown>,
  digest: Hash,
): Promise<number> {
  const into = spare.pop() ?? Buffer.allocUnsafeSlow(PIECE)
  let bytes = 0
  while (bytes < length) {
    const read = await files.read(handle, into.subarray(bytes, length), at + bytes)
    if (read === 0) break
    bytes += read
  }
  await before
  digest.update(into.subarray(0, bytes))
  if (spare.length < AHEAD) spare.push(into)
  return bytes
}

/** Reused read buffers. */
const spare: Buffer[] = []

const { target, addresses, patience, memory, moved } = workerData as ThreadSettings
const notify = (message: FromThread) => parentPort?.postMessage(message)
const free = (slot: number) => notify({ kind: 'free', slot })

/** Content of an item that was received and not yet consumed. */
interface IncomingItem {
  pieces: { slot: number; length: number }[]
  ended: Extract<ToThread, { kind: 'end' | 'abandon' }> | undefined
  wake: () => void
}
const incomingItems = new Map<number, IncomingItem>()

async function* getPieces(item: IncomingItem) {
  for (;;) {
    const piece = item.pieces.shift()
    if (piece) {
      const { slot, length } = piece
      yield { bytes: getSlot(memory, slot, length), release: () => free(slot) }
    } else if (item.ended?.kind === 'abandon') throw new TargetProblem('source_unreadable', 'abandoned')
    else if (item.ended) return
    else await new Promise<void>((resolve) => void (item.wake = resolve))
  }
}

function incoming(item: IncomingItem, isDigested: boolean): IncomingFile {
  return {
    pieces: getPieces(item),
    isDigested,
    sha256: () => (item.ended?.kind === 'end' && item.ended.sha256) || '',
  }
}

/** Runs a request and sends its result. */
async function answer(id: number, work: Promise<{ bytes: number; sha256: string }>): Promise<void> {
  try {
    notify({ kind: 'done', id, written: await work })
  } catch (error) {
    if (!(error instanceof TargetProblem)) throw error
    notify({ kind: 'failed', id, problem: sent(error) })
  }
}

async function secondChannel(connection: SftpConnection): Promise<SftpFiles | undefined> {
  const sftp = await connection.another()
  return sftp && new SftpFiles({ ...connection, sftp }, patience.silence)
}

async function serve(): Promise<void> {
  const connection = await connectSftp(target, addresses, patience)
  const files = new SftpFiles(connection, patience.silence)
  let second: Promise<SftpFiles | undefined> | undefined
  const put = sftpPut(files, () => (second ??= secondChannel(connection)))
  const bytes = new BigInt64Array(moved)
  setInterval(() => Atomics.store(bytes, 0, BigInt(connection.moved())), MOVED_MS).unref()

  async function take(id: number, path: string, isDigested: boolean): Promise<void> {
    const item: IncomingItem = { pieces: [], ended: undefined, wake: () => undefined }
    incomingItems.set(id, item)
    await answer(id, put(path, incoming(item, isDigested)))
    incomingItems.delete(id)
    for (const { slot } of item.pieces) free(slot)
  }

  async function remove(path: string): Promise<{ bytes: number; sha256: string }> {
    await files.unlink(path).catch(async (error: unknown) => {
      throw await files.result(error, path)
    })
    return { bytes: 0, sha256: '' }
  }

  parentPort?.on('message', (message: ToThread) => {
    const { kind, id } = message
    if (kind === 'put') return void take(id, message.path, message.isDigested)
    if (kind === 'remove') return void answer(id, remove(message.path))
    const item = incomingItems.get(id)
    // The rest of a failed item may still be in transit.
    if (!item) return void (kind === 'piece' && free(message.slot))
    if (kind === 'piece') item.pieces.push(message)
    else item.ended = message
    item.wake()
  })
  connection.onLost((problem) => notify({ kind: 'ended', problem: sent(problem) }))
  notify({ kind: 'ready' })
}

serve().catch((error: unknown) => {
  if (!(error instanceof TargetProblem)) throw error
  notify({ kind: 'ended', problem: sent(error) })
})

/** Puts files on a server, whole or not at all. */
interface SftpPut {
  (path: string, content: IncomingFile): Promise<WrittenFile>
}

/** Concurrent over one connection. Rejects with TargetProblem. */
function sftpPut(files: SftpFiles, second: () => Promise<SftpFiles | undefined>): SftpPut {
  const folders = new Map<string, Promise<void>>()

  /** Creates missing folders of a path, once per connection. */
  function ensureFolder(folder: string): Promise<void> {
    const known = folders.get(folder)
    if (known) return known
    const made = (async () => {
      if (folder === '.' || folder === '/' || (await files.isFolder(folder))) return
      await ensureFolder(dirname(folder))
      await files.mkdir(folder).catch(async (error: unknown) => {
        // Another process may have made it since.
        if (!(await files.isFolder(folder))) throw error
      })
    })()
    folders.set(folder, made)
    made.catch(() => folders.delete(folder))
    return made
  }

  /**
   * Reads a large file back over the second channel while it is written and synced; undefined: it is small, or there
   * is no such channel.
   */
  async function readLarge(path: string, progress: Progress): Promise<WrittenFile | undefined> {
    await progress.reaches(PIECE)
    if (progress.size !== undefined) return undefined
    const reader = await Promise.race([second(), progress.reaches(Infinity)])
    const handle = await reader?.open(path, 'r').catch(() => undefined)
    if (!reader || !handle) return undefined
    try {
      return await readBack(reader, handle, progress)
    } finally {
      await reader.close(handle).catch(() => undefined)
    }
  }

  return async (path, content) => {
    const folder = dirname(path)
    const temporary = temporaryName(path)
    let handle: Buffer | undefined
    let reading: Promise<WrittenFile | undefined> = Promise.resolve(undefined)
    try {
      await ensureFolder(folder)
      handle = await files.open(temporary, 'w+')
      const progress = new Progress()
      reading = readLarge(temporary, progress)
      reading.catch(() => undefined)
      const written = await writeAll(files, handle, content, progress)
      const found = (await reading) ?? (await readBack(files, handle, progress))
      if (found.bytes !== written.bytes || found.sha256 !== written.sha256)
        throw new TargetProblem('target_differs', 'the bytes read back differ from the written ones')
      // A failing close happens before the rename.
      await files.close(handle)
      await files.rename(temporary, path)
      return written
    } catch (error) {
      await reading.catch(() => undefined)
      const problem = await files.result(error, folder)
      if (handle) {
        // An open file keeps its space after deletion. Closing twice fails harmlessly.
        await files.close(handle).catch(() => undefined)
        await files.unlink(temporary).catch(() => undefined)
      }
      throw problem
    }
  }
}

/**
 * Hidden, in the folder of the file, and always the same per file: the next attempt overwrites the remains of
 * a killed worker.
 */
function temporaryName(path: string): string {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 32)
  return join(dirname(path), `.${digest}.part`)
}
