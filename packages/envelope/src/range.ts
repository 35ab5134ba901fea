import {
  EnvelopeError,
  headerSize,
  locate,
  plaintextSizeIn,
  SegmentCipher,
  segmentCount,
  type StreamFormat,
  streamFormat,
} from './segment-cipher.ts'

/** Sealed bytes that are read at a time. */
const BATCH = 1024 * 1024

/**
 * The source of sealed bytes: `size` in bytes; `read(start, end, into)` yields bytes start (inclusive) to end
 * (exclusive). Chunks may use their place in `into`, which has room for all of them, or the source's own memory.
 */
export type RangeSource = {
  size: number
  read(start: number, end: number, into: Buffer): AsyncIterable<Uint8Array>
}

/** A sealed stream opened for reading by plaintext position. */
export type OpenedRange = {
  /** Plaintext bytes, computed from the source's size; proved once a read reaches the end. */
  plaintextSize: number
  /**
   * Plaintext bytes `start` (inclusive) to `end` (exclusive). Throws `out_of_range` at once for bounds outside the
   * plaintext. Yields only authenticated bytes; a read that reaches the end also proves that the stream ends there.
   */
  read(start: number, end: number): AsyncGenerator<Buffer>
  /** Overwrites the key. What is read afterwards, or still being read, is refused as `tampered`. */
  forget(): void
}

/**
 * Opens a sealed stream for random access: reads the header now, and later only the segments of a range, about 1 MiB
 * at a time. Throws `bad_header` or `truncated` at once.
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
  const header = Buffer.alloc(Math.min(size, source.size))
  await readExactly(source, 0, header)
  const cipher = new SegmentCipher(format, dek, aad, header)
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
    forget: () => cipher.forget(),
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
  const getStart = (index: number) => (index === 0 ? headerSize(format) : index * format.segmentSize)
  const getEnd = (index: number) => Math.min((index + 1) * format.segmentSize, source.size)
  const fetch = (first: number): Batch => {
    const final = Math.min(first + perBatch - 1, until)
    const base = getStart(first)
    const memory = takeMemory(getEnd(final) - base)
    const sealed = memory.subarray(0, getEnd(final) - base)
    const filled = readExactly(source, base, sealed)
    // The reader gets the failure from its own await; without a reader it is ignored.
    filled.catch(() => {})
    return { first, final, base, memory, sealed, filled }
  }
  let left = end - start
  let next: Batch | undefined = fetch(Math.min(from.index, until))
  try {
    while (next) {
      const batch: Batch = next
      await batch.filled
      // Read while this one is opened and passed on.
      next = batch.final < until ? fetch(batch.final + 1) : undefined
      for (let index = batch.first; index <= batch.final; index += 1) {
        const sealed = batch.sealed.subarray(getStart(index) - batch.base, getEnd(index) - batch.base)
        const skip = index === from.index ? from.offset : 0
        for (const wanted of cipher.openPart(index, sealed, index === segments - 1, skip, skip + left)) {
          left -= wanted.length
          yield wanted
        }
      }
      giveMemory(batch.memory)
    }
  } finally {
    // The source still writes to that memory, and holds its file open, until it has ended.
    await next?.filled.catch(() => {})
  }
}

/** Segments that are read together. */
type Batch = {
  first: number
  final: number
  /** Position of `sealed` in the source. */
  base: number
  memory: Buffer
  sealed: Buffer
  filled: Promise<void>
}

/** Memory for sealed bytes, used again: a megabyte for every batch would keep the garbage collector busy. */
const spare: Buffer[] = []
const MAX_SPARE = 8

const takeMemory = (size: number): Buffer =>
  (size <= BATCH ? spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(Math.max(size, BATCH))

function giveMemory(memory: Buffer): void {
  if (spare.length < MAX_SPARE && memory.length === BATCH) spare.push(memory)
}

/** Fills `into` with the bytes of the source from `start`; a source that gives fewer or more is refused. */
async function readExactly(source: RangeSource, start: number, into: Buffer): Promise<void> {
  let have = 0
  const end = start + into.length
  for await (const chunk of source.read(start, end, into)) {
    if (have + chunk.length > into.length) {
      throw new EnvelopeError('trailing_data', `the store gave more than bytes ${start} to ${end}`)
    }
    const isInPlace = chunk.buffer === into.buffer && chunk.byteOffset === into.byteOffset + have
    if (!isInPlace) into.set(chunk, have)
    have += chunk.length
  }
  if (have < into.length) throw new EnvelopeError('truncated', `the store ends at byte ${start + have}`)
}
