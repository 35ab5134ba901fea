import { type WaveformData, Waveform } from '@custodia/waveform'
import * as z from 'zod/mini'
import { getLimits, PHOTO_PIXELS } from './limits.ts'
import {
  type Container,
  MediaError,
  type MediaOptions,
  type MediaSource,
  type Probe,
  type SniffedType,
  soundOnly,
} from './port.ts'
import { Reader } from './reader.ts'
import { runTool, words } from './run.ts'
import type { MediaTools } from './tools.ts'

/** A picture by its own head. */
interface Picture {
  codec: string
  width: number
  height: number
}

interface MeasuredPicture extends Picture {
  /** Least bytes that a valid file must have. */
  least: number
}

/** Pictures of an animation. Browsers decode one at a time. */
const MAX_FRAMES = 10_000
/** Most parts of a file that are read to find the size. */
const MAX_PARTS = 1_000_000

const corrupt = () => new MediaError('corrupt', 'the picture has no proper head')
const tooMany = () => new MediaError('limit', 'there are too many parts or frames')

const READERS: Partial<Record<Container, (reader: Reader) => Promise<MeasuredPicture>>> = {
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

async function measurePng(reader: Reader): Promise<MeasuredPicture> {
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

async function measureJpeg(reader: Reader): Promise<MeasuredPicture> {
  let at = 2
  for (let parts = 0; parts < MAX_PARTS; parts++) {
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

async function measureGif(reader: Reader): Promise<MeasuredPicture> {
  const head = await piece(reader, 0, 13)
  const measured = { codec: 'gif', width: head.readUInt16LE(6), height: head.readUInt16LE(8), least: 0 }
  let at = 13 + colours(head[10]!)
  let frames = 0
  for (let parts = 0; at < reader.size; parts++) {
    if (parts > MAX_PARTS || frames > MAX_FRAMES) throw tooMany()
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

async function measureWebp(reader: Reader): Promise<MeasuredPicture> {
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

/** An Ogg page is smaller than this. */
const LARGEST_PAGE = 65_307
const SNIFFED = 4096

/** Ticks per second of an Ogg stream, and the start of its sound, by the first packet. */
function getClock(head: Buffer): { rate: number; start: number } | undefined {
  const opus = head.indexOf('OpusHead', 0, 'latin1')
  if (opus >= 0 && opus + 12 <= head.length) return { rate: 48_000, start: head.readUInt16LE(opus + 10) }
  const vorbis = head.indexOf('\x01vorbis', 0, 'latin1')
  if (vorbis >= 0 && vorbis + 16 <= head.length) return { rate: head.readUInt32LE(vorbis + 12), start: 0 }
  const speex = head.indexOf('Speex   ', 0, 'latin1')
  if (speex >= 0 && speex + 40 <= head.length) return { rate: head.readUInt32LE(speex + 36), start: 0 }
  return undefined
}

/** Seconds of an Ogg recording, by the position of its last page; undefined without one. */
async function oggDuration(source: MediaSource): Promise<number | undefined> {
  const reader = Reader.of(source)
  const clock = getClock(await reader.bytes(0, SNIFFED))
  if (!clock || clock.rate === 0) return undefined
  const from = Math.max(0, source.size - LARGEST_PAGE)
  const tail = await reader.bytes(from, LARGEST_PAGE)
  for (let at = tail.lastIndexOf('OggS'); at >= 0; at = at > 0 ? tail.lastIndexOf('OggS', at - 1) : -1) {
    if (at + 14 > tail.length) continue
    const position = tail.readBigInt64LE(at + 6)
    // A page without the end of a packet has the position -1.
    if (position >= 0n) return Math.max(0, Number(position) - clock.start) / clock.rate
  }
  return undefined
}

/** The used part of ffprobe's JSON. Numbers are text. */
const Stream = z.object({
  codec_type: z.optional(z.string()),
  codec_name: z.optional(z.string()),
  channels: z.optional(z.number()),
  sample_rate: z.optional(z.string()),
  width: z.optional(z.number()),
  height: z.optional(z.number()),
  pix_fmt: z.optional(z.string()),
  nb_frames: z.optional(z.string()),
  avg_frame_rate: z.optional(z.string()),
  disposition: z.optional(z.object({ attached_pic: z.optional(z.number()) })),
})
const ProbeOutput = z.object({
  streams: z.array(Stream),
  format: z.object({ duration: z.optional(z.string()), bit_rate: z.optional(z.string()) }),
})

const ASKED =
  'stream=codec_type,codec_name,channels,sample_rate,width,height,pix_fmt,nb_frames,avg_frame_rate:stream_disposition=attached_pic:format=duration,bit_rate'

async function ask(
  tools: MediaTools,
  source: MediaSource,
  sniffed: SniffedType,
  options: MediaOptions | undefined,
) {
  const chunks: Buffer[] = []
  const run = runTool({
    tools,
    program: 'ffprobe',
    source,
    container: sniffed.container,
    args: (input) => ['-v', 'error', '-of', 'json', '-show_entries', ASKED, ...input],
    options: {
      ...options,
      limits: { run_seconds: 120, cpu_seconds: 4, ...options?.limits, output_bytes: 1024 * 1024 },
    },
  })
  for await (const chunk of run) chunks.push(chunk)
  try {
    return ProbeOutput.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  } catch (cause) {
    throw new MediaError('corrupt', 'ffprobe could not describe the data', { cause })
  }
}

/**
 * Seconds of a recording. ffprobe reads a pipe and cannot see the end, so without a length in the head it
 * comes from the last page (Ogg) or the bit rate, for raw AMR and AAC within a few percent.
 */
async function getSeconds(
  source: MediaSource,
  { container }: SniffedType,
  { duration, bit_rate }: z.output<typeof ProbeOutput>['format'],
): Promise<number | undefined> {
  if (container === 'heic') return undefined
  const named = Number(duration)
  if (named >= 0) return named
  if (container === 'ogg') return oggDuration(source)
  const bits = Number(bit_rate)
  return bits > 0 ? (source.size * 8) / bits : undefined
}

/** Frames of a film: of its index, or of the whole duration. Undefined when both are unknown. */
function getFrames(
  { nb_frames, avg_frame_rate = '' }: z.output<typeof Stream>,
  duration: number | undefined,
): number | undefined {
  const counted = Number(nb_frames)
  if (counted > 0) return counted
  const [frames, seconds] = avg_frame_rate.split('/').map(Number)
  const result = Math.ceil(((duration ?? 0) * (frames ?? 0)) / (seconds ?? 0))
  return result > 0 && Number.isFinite(result) ? result : undefined
}

/**
 * Detects codecs, duration (s) and dimensions, with ffprobe unless it is a picture. Throws MediaError:
 * `corrupt`, `unsupported` or `limit`.
 */
export async function probe(
  tools: MediaTools,
  source: MediaSource,
  sniffed: SniffedType,
  options?: MediaOptions,
): Promise<Probe> {
  const { content_type, container } = sniffed
  const picture = await inspectPicture(source, container)
  if (picture) return { content_type, container, video: picture }
  const { streams, format } = await ask(tools, source, sniffed, options)
  const audio = streams.find((stream) => stream.codec_type === 'audio')
  const video = streams.find((stream) => stream.codec_type === 'video' && !stream.disposition?.attached_pic)
  if (!audio && !video) throw new MediaError('corrupt', 'neither sound nor picture')
  const seconds = await getSeconds(source, sniffed, format)
  // A photo is one picture, perhaps of several tiles.
  const frames = container === 'heic' ? 1 : video && getFrames(video, seconds)
  return {
    content_type: video ? content_type : soundOnly(content_type),
    container,
    ...(seconds !== undefined && { duration: seconds }),
    ...(audio && {
      audio: {
        codec: audio.codec_name ?? 'unknown',
        channels: audio.channels ?? 1,
        sample_rate: Number(audio.sample_rate ?? 0),
      },
    }),
    ...(video && {
      video: {
        codec: video.codec_name ?? 'unknown',
        width: video.width ?? 0,
        height: video.height ?? 0,
        ...(video.pix_fmt !== undefined && { pixel_format: video.pix_fmt }),
        ...(frames !== undefined && { frames }),
      },
    }),
  }
}

/** Two for a recording with a channel per party, otherwise one: more channels are mixed. */
export const getChannels = (probe: Probe): 1 | 2 => (probe.audio?.channels === 2 ? 2 : 1)

const RATE = 8000

/** Sixteen-bit samples of a byte stream whose chunks may split one. */
async function* getSamples(chunks: AsyncIterable<Buffer>): AsyncGenerator<Int16Array> {
  let odd: Buffer | undefined
  for await (const chunk of chunks) {
    const bytes: Buffer = odd ? Buffer.concat([odd, chunk]) : chunk
    const even = bytes.length & ~1
    odd = bytes.length > even ? bytes.subarray(even) : undefined
    const aligned = new Uint8Array(even)
    aligned.set(bytes.subarray(0, even))
    yield new Int16Array(aligned.buffer)
  }
}

/**
 * Computes waveform and silences in one pass. Memory does not grow with the waveform, and little with time.
 */
export async function peaks(
  tools: MediaTools,
  source: MediaSource,
  probe: Probe,
  options?: MediaOptions,
): Promise<WaveformData> {
  if (!probe.audio) throw new MediaError('unsupported', 'no sound')
  const { media_seconds } = getLimits(options)
  // Two parties on two channels are not mixed, because mixing halves them and can cancel them out.
  const channels = getChannels(probe)
  const output = words(`-map 0:a:0 -sn -dn -vn -ac ${channels} -ar ${RATE} -c:a pcm_s16le -f s16le pipe:1`)
  const chunks = runTool({
    tools,
    program: 'ffmpeg',
    source,
    container: probe.container,
    args: (input) => [...words('-nostdin -v error -nostats'), ...input, ...output],
    // The samples of the longest recording, so that a longer one is refused and not cut.
    options: {
      ...options,
      limits: { ...options?.limits, output_bytes: Math.ceil(media_seconds * RATE) * 2 * channels },
    },
  })
  const waveform = new Waveform(RATE, channels)
  for await (const pcm of getSamples(chunks)) waveform.add(pcm)
  return waveform.draw()
}
