import { isMarkedAsUntransferable } from 'node:worker_threads'

/**
 * Pieces that nobody else has, each good until the next is asked for: its memory is given back then, and not when somebody collects it. A
 * collector sees small objects, not the megabytes behind them, and lets some hundred of those pile up.
 */
export async function* releaseAfterUse(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    yield piece
    deleteBatch(piece)
  }
}

/** Copies of such pieces, for whoever holds them longer. */
export async function* kept(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

/** Gives memory back at once: from now on the piece is empty. One that shares its memory with others stays as it is. */
export function deleteBatch({ buffer, byteLength }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || byteLength < buffer.byteLength) return
  // Of the pool of small buffers.
  if (!isMarkedAsUntransferable(buffer)) buffer.transfer(0)
}
