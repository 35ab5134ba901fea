import { MediaError } from '../port.ts'
import { type Blocks, Cursor } from './cursor.ts'

/** The two codecs, in ffprobe's names. */
export type Amr = 'amr_nb' | 'amr_wb'

export const isAmr = (codec: string | undefined): codec is Amr => codec === 'amr_nb' || codec === 'amr_wb'

/** First bytes of a raw file, and samples per second. */
export const AMR = {
  amr_nb: { magic: '#!AMR\n', sample_rate: 8000 },
  amr_wb: { magic: '#!AMR-WB\n', sample_rate: 16_000 },
} as const

/** Bytes of a frame with its head, by frame type (RFC 4867, 5.3; undefined types have only a head). */
const FRAME_SIZES = {
  amr_nb: [13, 14, 16, 18, 20, 21, 27, 32, 6, 1, 1, 1, 1, 1, 1, 1],
  amr_wb: [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1],
} as const
/** Defined types: speech, comfort noise, and for AMR-WB a lost frame. */
const isKnown = (codec: Amr, type: number) =>
  type <= (codec === 'amr_nb' ? 8 : 9) || type === 15 || (codec === 'amr_wb' && type === 14)
/** The head of a frame without data: 20 ms that the decoder fills. */
const NO_DATA = 0x7c

/** Whole frames for the decoder. */
export interface Frames {
  bytes: Buffer
  count: number
}

/**
 * Cuts whole frames from the start of `data`; `rest` is shorter than a frame. An unknown type becomes a
 * silent frame of the same duration.
 */
export function cutFrames(codec: Amr, data: Buffer): Frames & { rest: Buffer } {
  const bytes = Buffer.allocUnsafe(data.length)
  let [at, filled, count] = [0, 0, 0]
  while (at < data.length) {
    const type = (data[at]! >> 3) & 0x0f
    const size = FRAME_SIZES[codec][type]!
    if (at + size > data.length) break
    if (isKnown(codec, type)) filled += data.copy(bytes, filled, at, at + size)
    else bytes[filled++] = NO_DATA
    at += size
    count++
  }
  return { bytes: bytes.subarray(0, filled), count, rest: data.subarray(at) }
}

/** About half a second of frames. */
const PIECE = 1024

/** The frames of a raw file, behind its magic. An incomplete frame at the end is left out. */
export async function* rawFrames(blocks: Blocks, codec: Amr): AsyncGenerator<Frames> {
  const cursor = new Cursor(blocks, AMR[codec].magic.length)
  let rest: Buffer = Buffer.alloc(0)
  while (cursor.left > 0) {
    const piece = await cursor.takeUpTo(PIECE)
    const cut = cutFrames(codec, rest.length > 0 ? Buffer.concat([rest, piece]) : piece)
    rest = cut.rest
    if (cut.count > 0) yield cut
  }
}

/**
 * A box of an ISO base media file: its type, and start and end (exclusive) of its content, within its parent.
 */
interface Mp4Box {
  type: string
  body: number
  end: number
}

/** Boxes on one level: more than any recorder writes. */
const MOST_BOXES = 4096

/** The boxes between two positions. A longer one is cut, so that the rest of a truncated file still plays. */
async function boxes(blocks: Blocks, from: number, to: number): Promise<Mp4Box[]> {
  const found: Mp4Box[] = []
  const cursor = new Cursor(blocks, from, to)
  while (cursor.left >= 8) {
    if (found.length === MOST_BOXES) throw new MediaError('corrupt', 'too many boxes')
    const start = cursor.at
    const head = await cursor.take(8)
    const type = head.toString('latin1', 4, 8)
    let size = head.readUInt32BE(0)
    if (size === 1 && cursor.left >= 8) size = Number((await cursor.take(8)).readBigUInt64BE(0))
    else if (size === 0) size = cursor.end - start
    if (size < cursor.at - start) break
    found.push({ type, body: cursor.at, end: Math.min(start + size, cursor.end) })
    cursor.at = start + size
  }
  return found
}

/** The first box of a type within another, if both exist. */
const childOf = async (
  blocks: Blocks,
  parent: Mp4Box | undefined,
  type: string,
): Promise<Mp4Box | undefined> =>
  parent && (await boxes(blocks, parent.body, parent.end)).find((box) => box.type === type)

/** Sample entries in ffprobe's names. Others keep their four characters. */
const CODECS: Readonly<Record<string, string>> = {
  samr: 'amr_nb',
  sawb: 'amr_wb',
  mp4a: 'aac',
  Opus: 'opus',
  fLaC: 'flac',
  '.mp3': 'mp3',
  s263: 'h263',
  h263: 'h263',
  avc1: 'h264',
  avc3: 'h264',
  hvc1: 'hevc',
  hev1: 'hevc',
  mp4v: 'mpeg4',
  av01: 'av1',
  vp08: 'vp8',
  vp09: 'vp9',
}

/** Object types of MPEG-4 (ISO/IEC 14496-1) that an `mp4a` entry may name, other than AAC. */
const MP4A: Readonly<Record<number, string>> = { 0x69: 'mp3', 0x6b: 'mp3' }
const AAC: ReadonlySet<number> = new Set([0x40, 0x66, 0x67, 0x68])

/** A codec in ffprobe's name; width and height in pixels, 0 for sound. */
interface Coded {
  codec: string
  width: number
  height: number
}

/**
 * The codec of a track's only sample entry. Throws MediaError `unsupported` for several: the codec changes
 * within the track.
 */
async function codecOfEntry(
  blocks: Blocks,
  kind: 'audio' | 'video',
  box: Mp4Box | undefined,
): Promise<Coded> {
  if (!box) throw new MediaError('corrupt', 'a track has no valid sample entry')
  const cursor = new Cursor(blocks, box.body, box.end)
  await cursor.take(4)
  if ((await cursor.uint32()) !== 1) throw new MediaError('unsupported', 'a track of several codecs')
  const entry = await cursor.take(Math.min(cursor.left, 512))
  if (entry.length < 36) throw new MediaError('corrupt', 'a track has no valid sample entry')
  const type = entry.toString('latin1', 4, 8)
  const codec = CODECS[type] ?? (/^[\w .-]{4}$/.test(type) ? type.trim().toLowerCase() : 'unknown')
  if (kind === 'video') return { codec, width: entry.readUInt16BE(32), height: entry.readUInt16BE(34) }
  return { codec: type === 'mp4a' ? soundOf(entry) : codec, width: 0, height: 0 }
}

/** The codec of an `mp4a` entry by its descriptor: AAC, unless it names another. */
function soundOf(entry: Buffer): string {
  const at = entry.indexOf('esds', 36, 'latin1')
  if (at < 0) return 'aac'
  // Version and flags, then descriptors: a tag, a length in groups of seven bits, the content.
  let next = at + 8
  const open = (tag: number): boolean => {
    if (entry[next] !== tag) return false
    next++
    while (next < entry.length && entry[next]! & 0x80) next++
    next++
    return true
  }
  if (!open(3)) return 'aac'
  next += 3
  if (!open(4)) return 'aac'
  const object_type = entry[next]
  if (object_type === undefined || AAC.has(object_type)) return 'aac'
  return MP4A[object_type] ?? 'unknown'
}

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
