import {
  EnvelopeError,
  firstPlaintext,
  headerSize,
  newHeader,
  nextPlaintext,
  SegmentCipher,
  type StreamFormat,
  streamFormat,
  TAG_SIZE,
} from './segment-cipher.ts'

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

/** A run of bytes cut from a stream. `bytes` is only valid until the next piece is asked for. */
type Piece = { index: number; bytes: Buffer; last: boolean }

/**
 * Cuts a stream into pieces of `first` and then `next` bytes; the last may be shorter, and an empty stream is one empty piece. A full
 * piece is held back until it is known whether anything follows. Bytes are copied only where a piece spans chunks, so memory stays
 * at one chunk and one piece.
 */
async function* pieces(
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
