import * as z from 'zod/mini'
import { limitsOf } from './limits.ts'
import { inspectPicture } from './picture.ts'
import {
  MediaError,
  type MediaOptions,
  type MediaSource,
  type Probe,
  type Sniffed,
  soundOnly,
} from './port.ts'
import type { MediaTools } from './tools.ts'
import { Reader } from './reader.ts'
import { runTool, words } from './run.ts'
import { type Drawn, Waveform } from '@custodia/waveform'

/** An Ogg page is smaller than this. */
const LARGEST_PAGE = 65_307
const SNIFFED = 4096

/** Ticks per second of an Ogg stream, and the start of its sound, by the first packet. */
function clockOf(head: Buffer): { rate: number; start: number } | undefined {
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
  const clock = clockOf(await reader.bytes(0, SNIFFED))
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
  sniffed: Sniffed,
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
async function secondsOf(
  source: MediaSource,
  { container }: Sniffed,
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
function framesOf(
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
  sniffed: Sniffed,
  options?: MediaOptions,
): Promise<Probe> {
  const { content_type, container } = sniffed
  const picture = await inspectPicture(source, container)
  if (picture) return { content_type, container, video: picture }
  const { streams, format } = await ask(tools, source, sniffed, options)
  const audio = streams.find((stream) => stream.codec_type === 'audio')
  const video = streams.find((stream) => stream.codec_type === 'video' && !stream.disposition?.attached_pic)
  if (!audio && !video) throw new MediaError('corrupt', 'neither sound nor picture')
  const seconds = await secondsOf(source, sniffed, format)
  // A photo is one picture, perhaps of several tiles.
  const frames = container === 'heic' ? 1 : video && framesOf(video, seconds)
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
export const channelsOf = (probe: Probe): 1 | 2 => (probe.audio?.channels === 2 ? 2 : 1)

const RATE = 8000

/** Sixteen-bit samples of a byte stream whose chunks may split one. */
async function* samplesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Int16Array> {
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
): Promise<Drawn> {
  if (!probe.audio) throw new MediaError('unsupported', 'no sound')
  const { media_seconds } = limitsOf(options)
  // Two parties on two channels are not mixed, because mixing halves them and can cancel them out.
  const channels = channelsOf(probe)
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
  for await (const pcm of samplesOf(chunks)) waveform.add(pcm)
  return waveform.draw()
}
