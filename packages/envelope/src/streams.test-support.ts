import type { RangeSource } from './range.ts'
import { EnvelopeError, type EnvelopeErrorCode } from './segment-cipher.ts'

/** `bytes` as a stream of chunks of these sizes, in turn; the chunk's memory is overwritten after use, as a socket's would be. */
export async function* chunked(
  bytes: Uint8Array,
  sizes: number[] = [bytes.length],
): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const chunk = Uint8Array.from(bytes.subarray(at, at + (sizes[turn % sizes.length] || 1)))
    at += chunk.length
    yield chunk
    chunk.fill(0xee)
  }
}

/** An object store's range reader over `bytes`, which records its requests. */
export function rangeSource(bytes: Uint8Array, asked: [number, number][] = []): RangeSource {
  return {
    size: bytes.length,
    async *read(start, end) {
      asked.push([start, end])
      for (let at = start; at < end; at += 1000) yield bytes.subarray(at, Math.min(at + 1000, end))
    },
  }
}

/** Everything a stream gave, and the code of the error it ended with, if any. Errors of other kinds are thrown. */
export async function drain(
  stream: AsyncIterable<Uint8Array>,
): Promise<{ bytes: Buffer; code: EnvelopeErrorCode | undefined }> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of stream) chunks.push(chunk)
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error
    return { bytes: Buffer.concat(chunks), code: error.code }
  }
  return { bytes: Buffer.concat(chunks), code: undefined }
}

/** The chunks of a stream. */
export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

/** Everything a stream gave. */
export async function whole(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await collect(stream))
}
