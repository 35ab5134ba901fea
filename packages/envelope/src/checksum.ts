import { createHash } from 'node:crypto'

/** A stream that is hashed and counted while it passes. */
export type HashedStream = {
  stream: AsyncGenerator<Uint8Array>
  /** SHA-256 in lower-case hex. Throws before the stream was read to its end: a checksum of a part would look like any other. */
  digest(): string
  /** Bytes that have passed so far. */
  size(): number
}

/** Passes `source` through unchanged, hashing and counting what passes. */
export function hashing(source: AsyncIterable<Uint8Array>): HashedStream {
  const hash = createHash('sha256')
  let size = 0
  let digest: string | undefined
  async function* pass() {
    for await (const chunk of source) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
    digest = hash.digest('hex')
  }
  return {
    stream: pass(),
    digest() {
      if (digest === undefined) throw new Error('the stream was not read to its end')
      return digest
    },
    size: () => size,
  }
}
