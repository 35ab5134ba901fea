import { decoder } from '@audio/decode-amr'
import { type Blocks, Cursor } from './cursor.ts'
import { MediaError } from '../port.ts'
import { AMR, type Amr, cutFrames, type Frames, rawFrames, type SampleTables } from './mp4-tracks.ts'

/** A sample of sound is a few frames; no recorder writes larger ones. */
const LARGEST = 64 * 1024

const corrupt = () => new MediaError('corrupt', 'the index contradicts itself')

/** A table behind its head: bytes per entry, and the count. Refuses a count that does not fit in its box. */
async function table(blocks: Blocks, box: { body: number; end: number }, entry: number) {
  const cursor = new Cursor(blocks, box.body, box.end)
  await cursor.take(4)
  const count = await cursor.uint32()
  if (count * entry > cursor.left) throw corrupt()
  return { cursor, count }
}

/** The next size in bytes; undefined after the last. A common size needs no table. */
async function sizesOf(
  blocks: Blocks,
  box: SampleTables['sizes'],
): Promise<() => Promise<number | undefined>> {
  const cursor = new Cursor(blocks, box.body, box.end)
  await cursor.take(4)
  const all = await cursor.uint32()
  let left = await cursor.uint32()
  if (all === 0 ? left * 4 > cursor.left : left * all > blocks.size) throw corrupt()
  return async () => {
    if (left === 0) return undefined
    left--
    return all === 0 ? cursor.uint32() : all
  }
}

/**
 * The number of samples of the next chunk. One entry covers a run of equal chunks; the last one covers the
 * rest.
 */
async function countsOf(blocks: Blocks, box: SampleTables['runs']): Promise<() => Promise<number>> {
  const { cursor, count } = await table(blocks, box, 12)
  if (count === 0) throw corrupt()
  let left = count
  let chunk = 0
  let per_chunk = 0
  let coming: { from: number; per_chunk: number } | undefined
  const next = async () => {
    if (left-- <= 0) return undefined
    const from = await cursor.uint32()
    const entry = { from, per_chunk: await cursor.uint32() }
    if ((await cursor.uint32()) !== 1 || from <= chunk) throw corrupt()
    return entry
  }
  coming = await next()
  if (coming?.from !== 1) throw corrupt()
  return async () => {
    chunk++
    if (coming?.from === chunk) {
      per_chunk = coming.per_chunk
      coming = await next()
    }
    return per_chunk
  }
}

/**
 * The samples of a track in order, by its tables. Tables are read in pieces, and counts are checked against
 * the existing bytes, so that no count of the file allocates memory. Skips samples behind a truncated end;
 * all samples together fit in the file.
 */
export async function* mp4Samples(blocks: Blocks, tables: SampleTables): AsyncGenerator<Buffer> {
  const nextSize = await sizesOf(blocks, tables.sizes)
  const nextCount = await countsOf(blocks, tables.runs)
  const width = tables.has_wide_chunks ? 8 : 4
  const { cursor: chunks, count } = await table(blocks, tables.chunks, width)
  const data = new Cursor(blocks, 0)
  let budget = blocks.size
  for (let chunk = 0; chunk < count; chunk++) {
    data.at = tables.has_wide_chunks
      ? Number((await chunks.take(8)).readBigUInt64BE(0))
      : await chunks.uint32()
    for (let left = await nextCount(); left > 0; left--) {
      const size = await nextSize()
      if (size === undefined) return
      if (size > LARGEST) throw corrupt()
      budget -= size
      if (budget < 0) throw corrupt()
      if (size > data.left) return
      if (size > 0) yield await data.take(size)
    }
  }
}

/** Decoded sound: one array of samples (−1 to 1) per channel, one or two of the same length. */
export interface Pcm {
  /** Samples per second. */
  sample_rate: number
  samples: Float32Array[]
}

/** Skips so many samples per channel at the start. */
export async function* withoutStart(pieces: AsyncIterable<Pcm>, count: number): AsyncGenerator<Pcm> {
  let left = count
  for await (const { sample_rate, samples } of pieces) {
    const length = samples[0]?.length ?? 0
    const cut = Math.min(left, length)
    left -= cut
    if (cut < length) yield { sample_rate, samples: samples.map((channel) => channel.subarray(cut)) }
  }
}

/** Frames per decoder call: a second. */
const BATCH = 50
/** A longer cut at the start (seconds) is no encoder delay, and all of the sound is kept. */
const LONGEST_DELAY = 0.1

/**
 * opencore-amr in WebAssembly, with whole frames only: its memory is limited to 16 MiB (`modules.test.ts`).
 */
async function* decodeFrames(codec: Amr, frames: AsyncIterable<Frames>): AsyncGenerator<Pcm> {
  const { magic, sample_rate } = AMR[codec]
  const amr = await decoder()
  // The first bytes of a raw file identify the codec for the module.
  let held: Buffer[] = [Buffer.from(magic, 'latin1')]
  let count = 0
  const decode = (): Pcm => {
    const { channelData } = amr.decode(Buffer.concat(held))
    held = []
    count = 0
    return { sample_rate, samples: channelData }
  }
  for await (const piece of frames) {
    held.push(piece.bytes)
    count += piece.count
    if (count >= BATCH) yield decode()
  }
  // The module holds back fewer than three frames without data until it knows the codec.
  if (count > 0) yield decode()
}

export const decodeRawAmr = (blocks: Blocks, codec: Amr): AsyncGenerator<Pcm> =>
  decodeFrames(codec, rawFrames(blocks, codec))

async function* trackFrames(blocks: Blocks, codec: Amr, tables: SampleTables): AsyncGenerator<Frames> {
  for await (const sample of mp4Samples(blocks, tables)) {
    const { bytes, count } = cutFrames(codec, sample)
    if (count > 0) yield { bytes, count }
  }
}

/** @param delay encoder delay at the start in seconds, by the file */
export function decodeAmrTrack(
  blocks: Blocks,
  codec: Amr,
  tables: SampleTables,
  delay: number,
): AsyncGenerator<Pcm> {
  const pieces = decodeFrames(codec, trackFrames(blocks, codec, tables))
  return withoutStart(pieces, delay <= LONGEST_DELAY ? Math.round(delay * AMR[codec].sample_rate) : 0)
}
