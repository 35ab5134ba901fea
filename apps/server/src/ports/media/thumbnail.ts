import type { MediaOptions, MediaSource, Probe, Rendition, SniffedType } from './port.ts'
import { readRange } from './reader.ts'
import { runTool, words } from './run.ts'
import type { MediaTools } from './tools.ts'

/**
 * The Exif fields that a reviewer or a thumbnail needs (CIPA DC-008). `exifreader` 4.46 stays out: 64 KB of
 * repeated entries block its process for half a second.
 */
interface Exif {
  /** Orientation of the picture, 1 to 8. */
  orientation?: number
  /** Degrees. */
  location?: { latitude: number; longitude: number }
  /** Local time of the camera, `YYYY-MM-DDTHH:MM:SS`. */
  taken_at?: string
}

/** Bytes of a JPEG that contain its Exif: a segment has at most 64 KiB, and few precede it. */
export const EXIF_HEAD = 160 * 1024
const MAX_SEGMENTS = 100
const MAX_ENTRIES = 1000

/** Reads the Exif of a JPEG from its first bytes. Never throws; leaves out missing and invalid fields. */
export function readExif(head: Buffer): Exif {
  const tiff = exifSegment(head)
  if (!tiff) return {}
  try {
    return readTiff(tiff)
  } catch (error) {
    // An offset outside the data; the picture itself is fine.
    if (error instanceof RangeError) return {}
    throw error
  }
}

function exifSegment(head: Buffer): Buffer | undefined {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2, count = 0; at + 4 <= head.length && count < MAX_SEGMENTS; count++) {
    const [marker, size] = [head.readUInt16BE(at), head.readUInt16BE(at + 2)]
    // After the start of scan there is only picture data.
    if (marker >> 8 !== 0xff || marker === 0xffda || size < 2) return undefined
    if (marker === 0xffe1 && head.toString('latin1', at + 4, at + 10) === 'Exif\0\0')
      return head.subarray(at + 10, at + 2 + size)
    at += 2 + size
  }
  return undefined
}

const ORIENTATION = 0x0112
const EXIF_IFD = 0x8769
const GPS_IFD = 0x8825
const TAKEN_AT = 0x9003

function readTiff(tiff: Buffer): Exif {
  const order = tiff.toString('latin1', 0, 2)
  if (order !== 'II' && order !== 'MM') return {}
  const reader = tiffReader(tiff, order === 'II')
  const main = reader.entries(reader.u32(4))
  const [exif, gps] = [main.get(EXIF_IFD), main.get(GPS_IFD)].map((entry) =>
    entry === undefined ? new Map<number, number>() : reader.entries(reader.u32(entry + 8)),
  )
  const orientation = main.has(ORIENTATION) ? reader.u16(main.get(ORIENTATION)! + 8) : 0
  const latitude = reader.degrees(gps!, 1, 2, 'S', 90)
  const longitude = reader.degrees(gps!, 3, 4, 'W', 180)
  const taken_at = wallClock(exif!.has(TAKEN_AT) ? reader.text(exif!.get(TAKEN_AT)!) : '')
  return {
    ...(orientation >= 1 && orientation <= 8 && { orientation }),
    ...(latitude !== undefined && longitude !== undefined && { location: { latitude, longitude } }),
    ...(taken_at !== undefined && { taken_at }),
  }
}

function tiffReader(tiff: Buffer, is_little: boolean) {
  const u16 = (at: number) => (is_little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const u32 = (at: number) => (is_little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  const rational = (at: number) => u32(at) / u32(at + 4)
  /** The text of an entry: up to four characters inline, else at its offset. */
  const text = (entry: number) => {
    const count = u32(entry + 4)
    const from = count <= 4 ? entry + 8 : u32(entry + 8)
    return tiff.toString('latin1', from, from + Math.min(count, 64)).replace(/\0.*$/s, '')
  }
  return {
    u16,
    u32,
    text,
    /** The position of each entry of a directory, by tag. */
    entries(directory: number): Map<number, number> {
      const count = Math.min(u16(directory), MAX_ENTRIES)
      return new Map(
        Array.from({ length: count }, (_, i) => directory + 2 + 12 * i).map((at) => [u16(at), at]),
      )
    },
    /** Converts degrees, minutes and seconds; undefined when missing or impossible. */
    degrees(gps: Map<number, number>, side: number, tag: number, negative: string, most: number) {
      const [hemisphere, entry] = [gps.get(side), gps.get(tag)]
      if (hemisphere === undefined || entry === undefined || u32(entry + 4) !== 3) return undefined
      const at = u32(entry + 8)
      const size = rational(at) + rational(at + 8) / 60 + rational(at + 16) / 3600
      if (!(size >= 0 && size <= most)) return undefined
      const value = text(hemisphere) === negative ? -size : size
      return Math.round(value * 1e6) / 1e6
    },
  }
}

/** `2026:11:02 09:00:00` in the contract's form; a camera with an unset clock has no time. */
function wallClock(text: string): string | undefined {
  const parts = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)$/.exec(text)
  return parts && parts[1] !== '0000' ? `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}` : undefined
}

/** Longest side of a thumbnail in pixels: sharp on tiles of half the size. */
const SIDE = 400
/** Most bytes of a thumbnail: real ones have a few kilobytes. */
const MAX_BYTES = 256 * 1024

/** Rotates a picture by its orientation (Exif), which browsers only apply to the photo itself. */
const TURNS: Readonly<Record<number, string>> = {
  2: 'hflip',
  3: 'hflip,vflip',
  4: 'vflip',
  5: 'transpose=0',
  6: 'transpose=1',
  7: 'transpose=3',
  8: 'transpose=2',
}

/**
 * A small JPEG of a photo, or of the first picture of a film, upright and without metadata. Decoded under the
 * confinement and memory of every run; the size was checked before (`inspectPicture`, `-max_pixels`). Fails
 * like a rendition.
 */
export async function renderThumbnail(
  tools: MediaTools,
  source: MediaSource,
  { container }: SniffedType | Probe,
  options?: MediaOptions,
): Promise<Rendition> {
  const turn = container === 'jpeg' ? TURNS[await getOrientation(source)] : undefined
  const scale = `scale=w='min(${SIDE},iw)':h='min(${SIDE},ih)':force_original_aspect_ratio=decrease:force_divisible_by=2`
  const filters = [scale, turn, 'format=yuvj420p'].filter(Boolean).join()
  // ffmpeg rotates films by their metadata; not every version does so for a JPEG.
  const still = container === 'jpeg' ? ['-noautorotate'] : []
  const output = words(`-map 0:v:0 -frames:v 1 -vf ${filters} -map_metadata -1 -fflags +bitexact
    -flags:v +bitexact -sn -dn -an -c:v mjpeg -q:v 5 -f mjpeg pipe:1`)
  const args = (input: string[]) => [
    ...words('-nostdin -v error -nostats -y -filter_threads 1'),
    ...still,
    ...input,
    ...output,
  ]
  const limits = { run_seconds: 120, cpu_seconds: 60, ...options?.limits, output_bytes: MAX_BYTES }
  const run = { tools, program: 'ffmpeg', source, container, args, options: { ...options, limits } } as const
  return { content_type: 'image/jpeg', extension: 'jpg', chunks: runTool(run) }
}

const getOrientation = async (source: MediaSource): Promise<number> =>
  readExif(await readRange(source, 0, Math.min(EXIF_HEAD, source.size))).orientation ?? 1
