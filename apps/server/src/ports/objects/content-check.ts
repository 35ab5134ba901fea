import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ContentMismatch, type ExpectedContent } from './port.ts'

export type CheckedContent = {
  /** The source's bytes. The last chunk is withheld until size and digest have been compared. */
  chunks: AsyncIterable<Uint8Array>
  /** Size and digest; known once `chunks` has ended. */
  result(): { size: number; sha256: string }
  /** Set when the source failed or was refused, and not the store. */
  failure(): { error: unknown } | undefined
}

/**
 * Hashes a source on its way into a store and throws ContentMismatch before the end when it differs. The last
 * chunk comes after the comparison, so a consumer that publishes at the end never publishes a wrong object.
 */
export function checkContent(
  source: AsyncIterable<Uint8Array>,
  expect: ExpectedContent = {},
): CheckedContent {
  const hash = createHash('sha256')
  let size = 0
  let sha256 = ''
  let failure: { error: unknown } | undefined

  async function* chunks() {
    let held: Uint8Array | undefined
    try {
      for await (const chunk of source) {
        size += chunk.byteLength
        if (expect.size !== undefined && size > expect.size) throw wrongSize(expect.size, 'more')
        hash.update(chunk)
        if (held) yield held
        held = chunk
      }
      sha256 = hash.digest('hex')
      if (expect.size !== undefined && size < expect.size) throw wrongSize(expect.size, `${size}`)
      if (expect.sha256 !== undefined && sha256 !== expect.sha256) {
        throw new ContentMismatch('wrong_checksum', `expected sha256 ${expect.sha256}, received ${sha256}`)
      }
    } catch (error) {
      failure = { error }
      throw error
    }
    if (held) yield held
  }

  return { chunks: chunks(), result: () => ({ size, sha256 }), failure: () => failure }
}

function wrongSize(expected: number, received: string): ContentMismatch {
  return new ContentMismatch('wrong_size', `expected ${expected} bytes, received ${received}`)
}

/** Reads a source to its end, for its errors. */
export async function consume(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}

/** Closes an unused source, so that its file or socket does not leak. */
export async function discard(source: AsyncIterable<Uint8Array>): Promise<void> {
  // An iterator that has not started would not destroy its stream.
  if (source instanceof Readable) source.destroy()
  else await source[Symbol.asyncIterator]().return?.()
}
