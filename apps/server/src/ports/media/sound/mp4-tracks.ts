import { type Box, boxes, findBox, readIndex } from '../mp4.ts'
import { MediaError } from '../port.ts'
import type { Reader } from '../reader.ts'

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

/** Object types of MPEG-4 (ISO/IEC 14496-1) that an `mp4a` entry may name. */
const MP4A: Readonly<Record<number, string>> = {
  0x40: 'aac',
  0x66: 'aac',
  0x67: 'aac',
  0x68: 'aac',
  0x69: 'mp3',
  0x6b: 'mp3',
}

/** Positions of the sample tables in an index. */
export interface SampleTables {
  index: Buffer
  sizes: Box
  chunks: Box
  runs: Box
}

/** A track of sound or pictures. */
export interface Mp4Track {
  kind: 'audio' | 'video'
  /** In ffprobe's name. */
  codec: string
  /** Pixels, 0 for sound. */
  width: number
  height: number
  /** Seconds, by the file. */
  duration: number
  /** Encoder delay at the start in seconds. */
  delay: number
  /** Undefined for a fragmented file. */
  tables: SampleTables | undefined
}

const corrupt = (what: string) => new MediaError('corrupt', what)

/**
 * The sound and picture tracks of a file, with checked counts. Throws MediaError, `corrupt` for a missing or
 * contradictory index.
 */
export async function mp4Tracks(reader: Reader): Promise<Mp4Track[]> {
  const index = await readIndex(reader)
  const [movie] = boxes(index)
  try {
    return [...boxes(index, movie?.body, movie?.end)]
      .filter(({ type }) => type === 'trak')
      .flatMap((track) => readTrack(index, track) ?? [])
  } catch (error) {
    if (error instanceof RangeError) throw corrupt('a box is too short')
    throw error
  }
}

function readTrack(index: Buffer, track: Box): Mp4Track | undefined {
  const handler = findBox(index, track, 'mdia', 'hdlr')
  const type = handler && index.toString('latin1', handler.body + 8, handler.body + 12)
  const kind = type === 'soun' ? 'audio' : type === 'vide' ? 'video' : undefined
  if (kind === undefined) return undefined
  const { scale, duration } = getClock(index, findBox(index, track, 'mdia', 'mdhd'))
  const tables = findBox(index, track, 'mdia', 'minf', 'stbl')
  return {
    kind,
    ...getCodec(index, kind, findBox(index, tables, 'stsd')),
    duration: duration / scale,
    delay: firstEdit(index, findBox(index, track, 'edts', 'elst')) / scale,
    tables: getTables(index, tables),
  }
}

/** Units per second, and the length in them. */
function getClock(index: Buffer, header: Box | undefined): { scale: number; duration: number } {
  const is_long = header && index[header.body] === 1
  const at = header ? header.body + (is_long ? 20 : 12) : 0
  const scale = header ? index.readUInt32BE(at) : 0
  if (scale === 0) throw corrupt('a track has no clock')
  return { scale, duration: is_long ? Number(index.readBigUInt64BE(at + 4)) : index.readUInt32BE(at + 4) }
}

/** Start of the first visible edit, in units of the track's clock. */
function firstEdit(index: Buffer, edits: Box | undefined): number {
  if (!edits) return 0
  const is_long = index[edits.body] === 1
  for (let at = edits.body + 8; at + (is_long ? 20 : 12) <= edits.end; at += is_long ? 20 : 12) {
    const time = is_long ? Number(index.readBigInt64BE(at + 8)) : index.readInt32BE(at + 4)
    if (time >= 0) return time
  }
  return 0
}

/**
 * The codec of a track's only sample entry. Throws MediaError `unsupported` for several: the codec changes
 * within the track.
 */
function getCodec(index: Buffer, kind: Mp4Track['kind'], box: Box | undefined) {
  if (!box) throw corrupt('a track has no valid sample entry')
  if (index.readUInt32BE(box.body + 4) !== 1) throw new MediaError('unsupported', 'a track of several codecs')
  const entry = index.subarray(box.body + 8, box.end)
  if (entry.length < 36) throw corrupt('a track has no valid sample entry')
  const type = entry.toString('latin1', 4, 8)
  const codec = CODECS[type] ?? (/^[\w .-]{4}$/.test(type) ? type.trim().toLowerCase() : 'unknown')
  if (kind === 'video') return { codec, width: entry.readUInt16BE(32), height: entry.readUInt16BE(34) }
  return { codec: type === 'mp4a' ? getSound(entry) : codec, width: 0, height: 0 }
}

/** The codec of an `mp4a` entry by its descriptor: AAC, unless it names another. */
function getSound(entry: Buffer): string {
  const at = entry.indexOf('esds', 36, 'latin1')
  // Version and flags, then descriptors: a tag, a length in groups of seven bits, the content.
  let next = at + 8
  const open = (tag: number): boolean => {
    if (entry[next] !== tag) return false
    do next++
    while (entry[next]! & 0x80)
    next++
    return true
  }
  if (at < 0 || !open(3)) return 'aac'
  next += 3
  const object_type = open(4) ? entry[next] : undefined
  return object_type === undefined ? 'aac' : (MP4A[object_type] ?? 'unknown')
}

function getTables(index: Buffer, parent: Box | undefined): SampleTables | undefined {
  const [sizes, runs] = ['stsz', 'stsc'].map((type) => findBox(index, parent, type))
  const chunks = findBox(index, parent, 'stco') ?? findBox(index, parent, 'co64')
  return sizes && runs && chunks && { index, sizes, runs, chunks }
}

/** A sample of sound is a few frames; no recorder writes larger ones. */
const LARGEST = 64 * 1024

/**
 * The samples of a track in order. Skips samples behind a truncated end; all samples together fit in the file.
 * Throws MediaError `corrupt` for tables that contradict themselves.
 */
export async function* mp4Samples(
  reader: Reader,
  { index, sizes, chunks, runs }: SampleTables,
): AsyncGenerator<Buffer> {
  const [common, samples] = [index.readUInt32BE(sizes.body + 4), index.readUInt32BE(sizes.body + 8)]
  const getCount = getCounts(index, runs)
  let sample = 0
  let budget = reader.size
  for (let chunk = 0; chunk < index.readUInt32BE(chunks.body + 4); chunk++) {
    const at = chunks.body + 8
    let offset =
      chunks.type === 'stco'
        ? index.readUInt32BE(at + 4 * chunk)
        : Number(index.readBigUInt64BE(at + 8 * chunk))
    for (let left = getCount(chunk + 1); left > 0; left--, sample++) {
      if (sample === samples) return
      const size = common === 0 ? index.readUInt32BE(sizes.body + 12 + 4 * sample) : common
      budget -= size
      if (size > LARGEST || budget < 0) throw corrupt('the samples are larger than the file')
      if (offset + size > reader.size) return
      if (size > 0) yield await reader.bytes(offset, size)
      offset += size
    }
  }
}

/** Returns the samples of a chunk, for one after the other. A row covers a run of equal chunks, the last one the rest. */
function getCounts(index: Buffer, { body }: Box): (chunk: number) => number {
  const rows = index.readUInt32BE(body + 4)
  const field = (row: number, i: number) => index.readUInt32BE(body + 8 + 12 * row + 4 * i)
  for (let row = 0; row < rows; row++)
    if (field(row, 2) !== 1 || (row === 0 ? field(row, 0) !== 1 : field(row, 0) <= field(row - 1, 0)))
      throw corrupt('the runs of chunks contradict each other')
  if (rows === 0) throw corrupt('no chunk has samples')
  let row = 0
  return (chunk) => {
    if (row + 1 < rows && field(row + 1, 0) === chunk) row++
    return field(row, 1)
  }
}
