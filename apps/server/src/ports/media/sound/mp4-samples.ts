import { MediaError } from '../port.ts'
import type { Blocks } from './blocks.ts'
import { Cursor } from './cursor.ts'
import type { SampleTables } from './mp4-tracks.ts'

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
