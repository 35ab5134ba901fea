/** A run of bytes cut from a stream. `bytes` is only valid until the next piece is asked for. */
export type Piece = { index: number; bytes: Buffer; last: boolean }

/**
 * Cuts a stream into pieces of `first` and then `next` bytes; the last may be shorter, and an empty stream is one empty piece. A full
 * piece is held back until it is known whether anything follows. Bytes are copied only where a piece spans chunks, so memory stays
 * at one chunk and one piece.
 */
export async function* pieces(
  source: AsyncIterable<Uint8Array>,
  first: number,
  next: number,
): AsyncGenerator<Piece> {
  let index = 0
  let want = first
  let held: Buffer = Buffer.alloc(0)
  let have = 0
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    let at = 0
    while (have + bytes.length - at > want) {
      let piece: Buffer
      if (have > 0) {
        held = withRoom(held, have, want)
        bytes.copy(held, have, at, at + want - have)
        piece = held.subarray(0, want)
      } else {
        piece = bytes.subarray(at, at + want)
      }
      at += want - have
      have = 0
      yield { index, bytes: piece, last: false }
      index += 1
      want = next
    }
    // The source may reuse its chunk, so the rest is copied before the next read.
    held = withRoom(held, have, have + bytes.length - at)
    have += bytes.copy(held, have, at)
  }
  yield { index, bytes: held.subarray(0, have), last: true }
}

/** A buffer of at least `size` bytes with the first `used` bytes of `held`; grows by doubling, so small payloads stay small. */
function withRoom(held: Buffer, used: number, size: number): Buffer {
  if (held.length >= size) return held
  const larger = Buffer.allocUnsafe(Math.max(size, 2 * held.length))
  held.copy(larger, 0, 0, used)
  return larger
}
