/**
 * The same bytes in pieces of `length`, only the last of which is shorter: neither a request per crumb, nor one that is too large for a server. None
 * where there is nothing.
 */
export async function* evened(content: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const piece of content) {
    let rest = piece
    while (bytes + rest.length >= length) {
      const fits = rest.subarray(0, length - bytes)
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
