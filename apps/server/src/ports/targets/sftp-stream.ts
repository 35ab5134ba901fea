import { createHash } from 'node:crypto'
import type { SftpFiles } from './sftp-files.ts'

/** Requests under way at once, and bytes of each: one at a time would cost a round trip per piece. */
const WINDOW = 64
const PIECE = 128 << 10

/** Writes a stream from the start of an open file, in as many requests at once as a line of some delay needs. */
export async function writeAll(
  files: SftpFiles,
  handle: Buffer,
  content: AsyncIterable<Uint8Array>,
): Promise<{ bytes: number; sha256: string }> {
  const digest = createHash('sha256')
  const underWay = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  let bytes = 0
  const send = async (piece: Buffer) => {
    const at = bytes
    bytes += piece.length
    const written: Promise<void> = files.write(handle, piece, at).then(
      () => void underWay.delete(written),
      (error: unknown) => {
        failure ??= { error }
        underWay.delete(written)
      },
    )
    underWay.add(written)
    if (underWay.size >= WINDOW) await Promise.race(underWay)
    if (failure) throw failure.error
  }
  try {
    for await (const piece of evened(content)) {
      digest.update(piece)
      await send(piece)
    }
  } finally {
    await Promise.all(underWay)
  }
  if (failure) throw (failure as { error: unknown }).error
  return { bytes, sha256: digest.digest('hex') }
}

/** The length and SHA-256 of a file as the server gives it back. */
export async function readBack(files: SftpFiles, path: string): Promise<{ bytes: number; sha256: string }> {
  const handle = await files.open(path, 'r')
  const digest = createHash('sha256')
  const size = await files.size(handle)
  const coming: Promise<Buffer>[] = []
  let asked = 0
  const ask = () => {
    if (asked >= size) return
    const next = whole(files, handle, asked, Math.min(PIECE, size - asked))
    next.catch(() => undefined)
    coming.push(next)
    asked += PIECE
  }
  let bytes = 0
  for (let i = 0; i < WINDOW; i++) ask()
  for (let next = coming.shift(); next; next = coming.shift()) {
    const piece = await next
    digest.update(piece)
    bytes += piece.length
    ask()
  }
  await files.close(handle)
  return { bytes, sha256: digest.digest('hex') }
}

/** A server may answer with less than was asked for. */
async function whole(files: SftpFiles, handle: Buffer, at: number, length: number): Promise<Buffer> {
  const first = await files.read(handle, length, at)
  if (first.length === length || first.length === 0) return first
  return Buffer.concat([first, await whole(files, handle, at + first.length, length - first.length)])
}

/** The same bytes in pieces of one size: neither a request per crumb, nor one that is too large for a server. */
async function* evened(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const piece of content) {
    let rest = piece
    while (bytes + rest.length >= PIECE) {
      const fits = rest.subarray(0, PIECE - bytes)
      yield waiting.length === 0
        ? Buffer.from(fits.buffer, fits.byteOffset, fits.length)
        : Buffer.concat([...waiting, fits])
      rest = rest.subarray(fits.length)
      waiting = []
      bytes = 0
    }
    if (rest.length > 0) waiting.push(rest)
    bytes += rest.length
  }
  if (bytes > 0) yield Buffer.concat(waiting)
}
