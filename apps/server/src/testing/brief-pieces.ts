/** Content in pieces whose memory is reused for the next piece. */
export function* briefPieces(content: Uint8Array, sizeOf: (last: number) => number): Generator<Buffer> {
  for (let at = 0, size = sizeOf(0); at < content.length; at += size, size = sizeOf(size)) {
    const piece = Buffer.from(content.subarray(at, at + size))
    yield piece
    piece.fill(0xee)
  }
}
