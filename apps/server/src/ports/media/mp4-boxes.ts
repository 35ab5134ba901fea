/** A box of an ISO base media file within a buffer: `start` is its first byte, `body` the first after its head, `end` exclusive. */
export interface Box {
  type: string
  start: number
  body: number
  end: number
}

/**
 * The boxes between two positions. Stops at the first invalid one: the input is ffmpeg's own output, but is
 * not trusted.
 */
export function boxes(data: Buffer, from = 0, to = data.length): Box[] {
  const found: Box[] = []
  for (let at = from; at + 8 <= to;) {
    const size = data.readUInt32BE(at)
    if (size < 8 || at + size > to) break
    found.push({ type: data.toString('latin1', at + 4, at + 8), start: at, body: at + 8, end: at + size })
    at += size
  }
  return found
}

/** The first box at the end of a path such as ['mdia', 'mdhd']. */
export function inside(data: Buffer, parent: Box, path: readonly string[]): Box | undefined {
  let box: Box | undefined = parent
  for (const type of path) box = box && boxes(data, box.body, box.end).find((child) => child.type === type)
  return box
}

/**
 * Splits a stream into top-level boxes. Throws RangeError for an invalid box, or one larger than `most`
 * bytes.
 */
export async function* topLevelBoxes(
  chunks: AsyncIterable<Buffer>,
  most: number,
): AsyncGenerator<{ type: string; data: Buffer }> {
  let held: Buffer[] = []
  let length = 0
  let wanted = 8
  for await (const chunk of chunks) {
    held.push(chunk)
    length += chunk.length
    while (length >= wanted) {
      const data: Buffer = held.length === 1 ? held[0]! : Buffer.concat(held, length)
      const size = data.readUInt32BE(0)
      if (size < 8 || size > most) throw new RangeError('not a stream of MP4 boxes')
      held = [data]
      wanted = size
      if (length < size) break
      yield { type: data.toString('latin1', 4, 8), data: data.subarray(0, size) }
      held = length > size ? [data.subarray(size)] : []
      length -= size
      wanted = 8
    }
  }
}
