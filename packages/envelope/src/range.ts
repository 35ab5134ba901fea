import { EnvelopeError } from './envelope-error.ts'
import { SegmentCipher } from './segment-cipher.ts'
import {
  headerSize,
  locate,
  plaintextSizeIn,
  segmentCount,
  type StreamFormat,
  streamFormat,
} from './stream-format.ts'

const BATCH = 1024 * 1024

/**
 * Where sealed bytes are read from: `size` in bytes; `read(start, end)` yields bytes start (inclusive) to end (exclusive), in chunks
 * whose memory the source does not use again.
 */
export type RangeSource = {
  size: number
  read(start: number, end: number): AsyncIterable<Uint8Array>
}

/** A sealed stream opened for reading by plaintext position. */
export type OpenedRange = {
  /** Plaintext bytes, computed from the source's size; proved once a read reaches the end. */
  plaintextSize: number
  /**
   * Plaintext bytes `start` (inclusive) to `end` (exclusive). Throws `out_of_range` at once for bounds outside the plaintext. Yields
   * only authenticated bytes; a read that reaches the end also proves that the stream ends there.
   */
  read(start: number, end: number): AsyncGenerator<Buffer>
}

/**
 * Opens a sealed stream for random access: reads the header now, and later only the segments that a range touches, about 1 MiB at a
 * time. Throws `bad_header` or `truncated` here already, before anything was answered to a caller.
 */
export async function openRange(
  dek: Uint8Array,
  aad: Uint8Array,
  source: RangeSource,
  segmentSize?: number,
): Promise<OpenedRange> {
  return await openRangeIn(streamFormat(segmentSize), dek, aad, source)
}

/** `openRange` with the parameters given. */
export async function openRangeIn(
  format: StreamFormat,
  dek: Uint8Array,
  aad: Uint8Array,
  source: RangeSource,
): Promise<OpenedRange> {
  const size = headerSize(format)
  const cipher = new SegmentCipher(
    format,
    dek,
    aad,
    await readExactly(source, 0, Math.min(size, source.size)),
  )
  const plaintextSize = plaintextSizeIn(format, source.size)
  return {
    plaintextSize,
    read(start, end) {
      if (
        !Number.isSafeInteger(start) ||
        !Number.isSafeInteger(end) ||
        start < 0 ||
        start > end ||
        end > plaintextSize
      ) {
        throw new EnvelopeError('out_of_range', `bytes ${start} to ${end} of ${plaintextSize}`)
      }
      return readRange(format, cipher, source, start, end)
    },
  }
}

async function* readRange(
  format: StreamFormat,
  cipher: SegmentCipher,
  source: RangeSource,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  const segments = segmentCount(format, source.size)
  const reachesEnd = end === plaintextSizeIn(format, source.size)
  if (start === end && !reachesEnd) return
  const from = locate(format, start)
  // The end is proved by the last segment, also when it holds no byte of the range (an empty stream).
  const until = reachesEnd ? segments - 1 : locate(format, end - 1).index
  const perBatch = Math.max(1, Math.floor(BATCH / format.segmentSize))
  const startOf = (index: number) => (index === 0 ? headerSize(format) : index * format.segmentSize)
  const endOf = (index: number) => Math.min((index + 1) * format.segmentSize, source.size)
  let left = end - start
  for (let first = Math.min(from.index, until); first <= until; first += perBatch) {
    const final = Math.min(first + perBatch - 1, until)
    const base = startOf(first)
    const batch = await readExactly(source, base, endOf(final))
    for (let index = first; index <= final; index += 1) {
      const sealed = batch.subarray(startOf(index) - base, endOf(index) - base)
      const plaintext = cipher.open(index, sealed, index === segments - 1)
      const skip = index === from.index ? from.offset : 0
      const wanted = plaintext.subarray(skip, skip + left)
      left -= wanted.length
      if (wanted.length > 0) yield wanted
    }
  }
}

/** The bytes of the source from `start` to `end`, in one buffer; a source that gives fewer or more is refused. */
async function readExactly(source: RangeSource, start: number, end: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let have = 0
  for await (const chunk of source.read(start, end)) {
    chunks.push(chunk)
    have += chunk.length
    if (have > end - start) {
      throw new EnvelopeError('trailing_data', `the store gave more than bytes ${start} to ${end}`)
    }
  }
  if (have < end - start) throw new EnvelopeError('truncated', `the store ends at byte ${start + have}`)
  const [only] = chunks
  // A file gives a batch as one chunk: no copy then.
  if (only && chunks.length === 1) return Buffer.from(only.buffer, only.byteOffset, only.length)
  return Buffer.concat(chunks, have)
}
