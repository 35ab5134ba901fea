import { isMarkedAsUntransferable } from 'node:worker_threads'

/**
 * Pieces with exclusive memory, each valid until the next is requested; then its memory is released. The
 * garbage collector counts small objects, not their megabytes, and lets hundreds of them pile up.
 */
export async function* releaseAfterUse(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    yield piece
    releaseMemory(piece)
  }
}

/** Copies of such pieces, for consumers that keep them longer. */
export async function* kept(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

/** Releases memory at once: the piece is empty afterwards. One that shares its memory stays unchanged. */
export function releaseMemory({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength < buffer.byteLength) return
  // A view of Node's shared pool of small buffers.
  if (!isMarkedAsUntransferable(buffer)) buffer.transfer(0)
}
