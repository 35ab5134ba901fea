import { createHash, type Hash } from 'node:crypto'
import type { SftpFiles } from './sftp-files.ts'
import { PIECE, type Written } from './sftp-connect.ts'

/** Concurrent read requests for one file: the 2 MiB that the library's window allows. */
const AHEAD = 16

/** The content of a file in transit: pieces in order, each released when the server has it. */
export interface Incoming {
  pieces: AsyncIterable<{ bytes: Buffer; release(): void }>
  /** Whether this side computes the checksum. */
  isDigested: boolean
  /** Else it is known after all pieces. */
  sha256(): string
}

/** Writes from the start of an open file and syncs it. The sender of the pieces limits the concurrency. */
export async function writeAll(files: SftpFiles, handle: Buffer, content: Incoming): Promise<Written> {
  const digest = content.isDigested ? createHash('sha256') : undefined
  const underWay = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  let bytes = 0
  try {
    for await (const piece of content.pieces) {
      digest?.update(piece.bytes)
      const written: Promise<void> = files
        .write(handle, piece.bytes, bytes)
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => {
          underWay.delete(written)
          piece.release()
        })
      underWay.add(written)
      bytes += piece.bytes.length
      if (failure) break
    }
  } finally {
    await Promise.all(underWay)
  }
  if (failure) throw (failure as { error: unknown }).error
  // After the whole content: a server may run concurrent requests in any order.
  await files.sync(handle)
  return { bytes, sha256: digest?.digest('hex') ?? content.sha256() }
}

/** Length and SHA-256 of an open file as read back; reads one byte more than the expected `size`. */
export async function readBack(files: SftpFiles, handle: Buffer, size: number): Promise<Written> {
  const digest = createHash('sha256')
  const coming: Promise<number>[] = []
  let asked = 0
  let bytes = 0
  let turn: Promise<unknown> = Promise.resolve()
  // One byte more than expected, which detects a longer file.
  const ask = () => {
    if (asked > size) return
    const length = Math.min(PIECE, size + 1 - asked)
    const next = whole(files, handle, { at: asked, length }, turn, digest)
    next.catch(() => undefined)
    turn = next
    coming.push(next)
    asked += length
  }
  for (let i = 0; i < AHEAD; i++) ask()
  for (let next = coming.shift(); next; next = coming.shift()) {
    bytes += await next
    ask()
  }
  return { bytes, sha256: digest.digest('hex') }
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
  if (spare.length < 2 * AHEAD) spare.push(into)
  return bytes
}

/** Reused read buffers. */
const spare: Buffer[] = []
