import { MediaError } from '../port.ts'
import type { Blocks } from './blocks.ts'
import { Cursor } from './cursor.ts'
import { boxes, childOf, type Mp4Box } from './mp4-boxes.ts'
import { type Coded, codecOfEntry } from './mp4-codec.ts'

/** The sample tables of a track. Undefined for a fragmented file. */
export interface SampleTables {
  sizes: Mp4Box
  chunks: Mp4Box
  has_wide_chunks: boolean
  runs: Mp4Box
}

/** A track of sound or pictures. */
export interface Mp4Track extends Coded {
  kind: 'audio' | 'video'
  /** Seconds, by the file. */
  duration: number
  /** Encoder delay at the start in seconds. */
  delay: number
  tables: SampleTables | undefined
}

/** Most tracks of a file: more than any recorder writes. */
const MOST_TRACKS = 16

const corrupt = (what: string) => new MediaError('corrupt', what)

/**
 * The sound and picture tracks of a file. Throws MediaError `corrupt` for a missing or contradictory index.
 */
export async function mp4Tracks(blocks: Blocks): Promise<Mp4Track[]> {
  const movie = (await boxes(blocks, 0, blocks.size)).find(({ type }) => type === 'moov')
  if (!movie) throw corrupt('the index is missing')
  const found: Mp4Track[] = []
  const candidates = (await boxes(blocks, movie.body, movie.end)).filter(({ type }) => type === 'trak')
  if (candidates.length > MOST_TRACKS) throw corrupt('too many tracks')
  for (const candidate of candidates) {
    const track = await readTrack(blocks, candidate)
    if (track) found.push(track)
  }
  return found
}

async function readTrack(blocks: Blocks, box: Mp4Box): Promise<Mp4Track | undefined> {
  const media = await childOf(blocks, box, 'mdia')
  const kind = await kindOf(blocks, await childOf(blocks, media, 'hdlr'))
  if (kind === undefined) return undefined
  const { scale, duration } = await clockOf(blocks, await childOf(blocks, media, 'mdhd'))
  const index = await childOf(blocks, await childOf(blocks, media, 'minf'), 'stbl')
  const edits = await childOf(blocks, await childOf(blocks, box, 'edts'), 'elst')
  return {
    kind,
    ...(await codecOfEntry(blocks, kind, await childOf(blocks, index, 'stsd'))),
    duration: duration / scale,
    delay: (await firstEdit(blocks, edits)) / scale,
    tables: await tablesOf(blocks, index),
  }
}

async function kindOf(blocks: Blocks, handler: Mp4Box | undefined) {
  if (!handler || handler.end - handler.body < 12) return undefined
  const type = (await new Cursor(blocks, handler.body + 8).take(4)).toString('latin1')
  return type === 'soun' ? 'audio' : type === 'vide' ? 'video' : undefined
}

/** Units per second, and the length in them. */
async function clockOf(
  blocks: Blocks,
  header: Mp4Box | undefined,
): Promise<{ scale: number; duration: number }> {
  if (!header) throw corrupt('a track has no clock')
  const cursor = new Cursor(blocks, header.body, header.end)
  const is_long = (await cursor.uint32()) >>> 24 === 1
  await cursor.take(is_long ? 16 : 8)
  const scale = await cursor.uint32()
  if (scale === 0) throw corrupt('a track has no clock')
  const duration = is_long ? Number((await cursor.take(8)).readBigUInt64BE(0)) : await cursor.uint32()
  return { scale, duration }
}

/** Start of the first visible edit, in units of the track's clock. */
async function firstEdit(blocks: Blocks, edits: Mp4Box | undefined): Promise<number> {
  if (!edits) return 0
  const cursor = new Cursor(blocks, edits.body, edits.end)
  const is_long = (await cursor.uint32()) >>> 24 === 1
  const count = Math.min(await cursor.uint32(), 8)
  for (let i = 0; i < count && cursor.left >= (is_long ? 20 : 12); i++) {
    const edit = await cursor.take(is_long ? 20 : 12)
    const time = is_long ? Number(edit.readBigInt64BE(8)) : edit.readInt32BE(4)
    if (time >= 0) return time
  }
  return 0
}

async function tablesOf(blocks: Blocks, index: Mp4Box | undefined): Promise<SampleTables | undefined> {
  if (!index) return undefined
  const tables = await boxes(blocks, index.body, index.end)
  const named = (type: string) => tables.find((table) => table.type === type)
  const [sizes, narrow, wide, runs] = [named('stsz'), named('stco'), named('co64'), named('stsc')]
  const chunks = narrow ?? wide
  return sizes && chunks && runs && { sizes, chunks, has_wide_chunks: narrow === undefined, runs }
}
