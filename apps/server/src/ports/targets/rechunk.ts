/**
 * The same bytes in pieces of `length`; only the last is shorter. Avoids tiny and oversized requests. Each
 * piece is a copy in `memory`, which the consumer returns for reuse.
 */
export async function* rechunk(
  content: AsyncIterable<Uint8Array>,
  length: number,
  memory: Buffer[],
): AsyncGenerator<Buffer> {
  let into: Buffer = Buffer.alloc(0)
  let bytes = 0
  for await (const piece of content)
    for (let at = 0; at < piece.length;) {
      into = withRoom(into, bytes, Math.min(length, bytes + piece.length - at), { length, memory })
      const fits = piece.subarray(at, at + length - bytes)
      into.set(fits, bytes)
      at += fits.length
      bytes += fits.length
      if (bytes < length) continue
      yield into
      into = Buffer.alloc(0)
      bytes = 0
    }
  if (bytes > 0) yield into.subarray(0, bytes)
}

/** A buffer with room for `size` more bytes; grows by doubling, so that small items stay small. */
function withRoom(
  held: Buffer,
  bytes: number,
  size: number,
  { length, memory }: { length: number; memory: Buffer[] },
): Buffer {
  if (held.length >= size) return held
  const larger = memory.pop() ?? Buffer.allocUnsafeSlow(Math.min(length, Math.max(size, 2 * held.length)))
  held.copy(larger, 0, 0, bytes)
  return larger
}
