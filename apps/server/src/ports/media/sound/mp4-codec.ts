import { MediaError } from '../port.ts'
import type { Blocks } from './blocks.ts'
import { Cursor } from './cursor.ts'
import type { Mp4Box } from './mp4-boxes.ts'

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
export interface Coded {
  codec: string
  width: number
  height: number
}

/**
 * The codec of a track's only sample entry. Throws MediaError `unsupported` for several: the codec changes
 * within the track.
 */
export async function codecOfEntry(
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
