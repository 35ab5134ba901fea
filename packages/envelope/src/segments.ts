import { EnvelopeError } from './envelope-error.ts'
import { TAG_SIZE } from './gcm.ts'
import { pieces } from './pieces.ts'
import { newHeader, SegmentCipher } from './segment-cipher.ts'
import {
  firstPlaintext,
  headerSize,
  nextPlaintext,
  type StreamFormat,
  streamFormat,
} from './stream-format.ts'

/**
 * Seals a stream in Tink's AES-GCM-HKDF-Streaming layout (docs/envelope-format.md), holding one segment at a time. Yields one buffer
 * per segment, the first with the header. `aad` comes from `associatedData`; `segmentSize` is the size of a sealed segment in bytes.
 */
export async function* seal(
  dek: Uint8Array,
  aad: Uint8Array,
  source: AsyncIterable<Uint8Array>,
  segmentSize?: number,
): AsyncGenerator<Buffer> {
  const format = streamFormat(segmentSize)
  yield* sealIn(format, dek, aad, source, newHeader(format))
}

/** `seal` with the parameters and the header given. A header must never be used twice with one DEK: only test vectors choose it. */
export async function* sealIn(
  format: StreamFormat,
  dek: Uint8Array,
  aad: Uint8Array,
  source: AsyncIterable<Uint8Array>,
  header: Buffer,
): AsyncGenerator<Buffer> {
  const cipher = new SegmentCipher(format, dek, aad, header)
  for await (const { index, bytes, last } of pieces(source, firstPlaintext(format), nextPlaintext(format))) {
    yield cipher.seal(index, bytes, last, index === 0 ? header : undefined)
  }
}

/**
 * Opens a sealed stream from its beginning to its end, yielding each segment's plaintext once that segment is authenticated. The
 * stream is whole only when the generator ends without an error: `bad_header`, `truncated`, `tampered` or `trailing_data`.
 */
export async function* openSequential(
  dek: Uint8Array,
  aad: Uint8Array,
  ciphertext: AsyncIterable<Uint8Array>,
  segmentSize?: number,
): AsyncGenerator<Buffer> {
  yield* openSequentialIn(streamFormat(segmentSize), dek, aad, ciphertext)
}

/** `openSequential` with the parameters given. */
export async function* openSequentialIn(
  format: StreamFormat,
  dek: Uint8Array,
  aad: Uint8Array,
  ciphertext: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let cipher: SegmentCipher | undefined
  for await (const { index, bytes, last } of pieces(ciphertext, format.segmentSize, format.segmentSize)) {
    cipher ??= new SegmentCipher(format, dek, aad, bytes)
    const sealed = index === 0 ? bytes.subarray(headerSize(format)) : bytes
    // A last segment that holds nothing is never made, except for an empty stream.
    if (sealed.length < TAG_SIZE || (index > 0 && sealed.length === TAG_SIZE)) {
      throw new EnvelopeError('truncated', `the stream ends inside segment ${index}`)
    }
    const plaintext = cipher.open(index, sealed, last)
    if (plaintext.length > 0) yield plaintext
  }
}
