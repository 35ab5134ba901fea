import { PHOTO_PIXELS } from './limits.ts'
import { type Container, MediaError, type MediaSource } from './port.ts'
import { Reader } from './reader.ts'

/** A picture by its own head. */
interface Picture {
  codec: string
  width: number
  height: number
}

interface Measured extends Picture {
  /** Least bytes that a valid file must have. */
  least: number
}

/** Pictures of an animation. Browsers decode one at a time. */
const MOST_FRAMES = 10_000
/** Most parts of a file that are read to find the size. */
const MOST_PARTS = 1_000_000

const corrupt = () => new MediaError('corrupt', 'the picture has no proper head')
const tooMany = () => new MediaError('limit', 'there are too many parts or frames')

const READERS: Partial<Record<Container, (reader: Reader) => Promise<Measured>>> = {
  png: measurePng,
  jpeg: measureJpeg,
  gif: measureGif,
  webp: measureWebp,
}

/**
 * Reads the size of a picture that browsers show; refuses too large and impossible ones. No program decodes
 * it; undefined for other containers. Throws MediaError, `limit` or `corrupt`.
 */
export async function inspectPicture(
  source: MediaSource,
  container: Container,
): Promise<Picture | undefined> {
  const read = READERS[container]
  if (!read) return undefined
  const { codec, width, height, least } = await read(Reader.of(source))
  if (width === 0 || height === 0) throw corrupt()
  if (width * height > PHOTO_PIXELS) throw new MediaError('limit', 'the picture is too large')
  if (source.size < least) throw new MediaError('corrupt', 'the picture is shorter than announced')
  return { codec, width, height }
}

async function piece(reader: Reader, at: number, length: number): Promise<Buffer> {
  const bytes = await reader.bytes(at, length)
  if (bytes.length < length) throw corrupt()
  return bytes
}

/** Samples per pixel by PNG's colour types. */
const PNG_SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** Most bytes that one byte of `deflate` can become. */
const DEFLATE = 1032

async function measurePng(reader: Reader): Promise<Measured> {
  const head = await piece(reader, 0, 29)
  const samples = PNG_SAMPLES[head[25]!]
  if (head.toString('latin1', 12, 16) !== 'IHDR' || samples === undefined) throw corrupt()
  const [width, height] = [head.readUInt32BE(16), head.readUInt32BE(20)]
  const raw = height * (1 + Math.ceil((width * samples * head[24]!) / 8))
  return { codec: 'png', width, height, least: raw / DEFLATE }
}

/** JPEG markers of a frame with its size: SOF0 to SOF15 without the tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
/** Every block of 8 × 8 pixels takes at least one bit. */
const JPEG_PIXELS_PER_BYTE = 512

async function measureJpeg(reader: Reader): Promise<Measured> {
  let at = 2
  for (let parts = 0; parts < MOST_PARTS; parts++) {
    const head = await piece(reader, at, 4)
    if (head[0] !== 0xff) throw corrupt()
    const marker = head[1]!
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) {
      const size = await piece(reader, at + 5, 4)
      const [height, width] = [size.readUInt16BE(0), size.readUInt16BE(2)]
      return { codec: 'mjpeg', width, height, least: (width * height) / JPEG_PIXELS_PER_BYTE }
    } else if (marker === 0xd9 || marker === 0xda) throw corrupt()
    else at += 2 + head.readUInt16BE(2)
  }
  throw tooMany()
}

/** Bytes of a GIF's colour table, by its flags. */
const colours = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

async function measureGif(reader: Reader): Promise<Measured> {
  const head = await piece(reader, 0, 13)
  const measured = {
    codec: 'gif',
    width: head.readUInt16LE(6),
    height: head.readUInt16LE(8),
    least: 0,
  }
  let at = 13 + colours(head[10]!)
  let frames = 0
  for (let parts = 0; at < reader.size; parts++) {
    if (parts > MOST_PARTS || frames > MOST_FRAMES) throw tooMany()
    const kind = (await piece(reader, at, 1))[0]
    if (kind === 0x3b) break
    if (kind === 0x2c) {
      frames++
      at += 11 + colours((await piece(reader, at, 10))[9]!)
    } else if (kind === 0x21) at += 2
    else throw corrupt()
    // Blocks of up to 255 bytes, and an empty one at the end. The last may be cut off.
    for (let length = -1; length !== 0; parts++) {
      length = (await reader.bytes(at, 1))[0] ?? 0
      at += 1 + length
    }
  }
  if (frames === 0) throw corrupt()
  return measured
}

async function measureWebp(reader: Reader): Promise<Measured> {
  const head = await piece(reader, 12, 18)
  const size = (width: number, height: number) => ({ codec: 'webp', width, height, least: 0 })
  switch (head.toString('latin1', 0, 4)) {
    case 'VP8X':
      return size(1 + head.readUIntLE(12, 3), 1 + head.readUIntLE(15, 3))
    case 'VP8L': {
      const bits = head.readUInt32LE(9)
      return size(1 + (bits & 0x3fff), 1 + ((bits >> 14) & 0x3fff))
    }
    case 'VP8 ':
      return size(head.readUInt16LE(14) & 0x3fff, head.readUInt16LE(16) & 0x3fff)
    default:
      throw corrupt()
  }
}
