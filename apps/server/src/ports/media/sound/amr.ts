import type { Reader } from '../reader.ts'
import { mp4Samples, type SampleTables } from './mp4-tracks.ts'
import { type Pcm, withoutStart } from './pcm.ts'

/** The two codecs, in ffprobe's names. */
export type Amr = 'amr_nb' | 'amr_wb'

export const isAmr = (codec: string | undefined): codec is Amr => codec === 'amr_nb' || codec === 'amr_wb'

/** First bytes of a raw file, and samples per second. */
const AMR = {
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
interface Frames {
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
export async function* rawFrames(reader: Reader, codec: Amr): AsyncGenerator<Frames> {
  let rest: Buffer = Buffer.alloc(0)
  for (let at = AMR[codec].magic.length; at < reader.size; at += PIECE) {
    const cut = cutFrames(codec, Buffer.concat([rest, await reader.bytes(at, PIECE)]))
    rest = cut.rest
    if (cut.count > 0) yield cut
  }
}

/** The frames of an MP4 track; a sample has whole ones. */
async function* trackFrames(reader: Reader, codec: Amr, tables: SampleTables): AsyncGenerator<Frames> {
  for await (const sample of mp4Samples(reader, tables)) {
    const cut = cutFrames(codec, sample)
    if (cut.count > 0) yield cut
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
  const amr = await (await import('@audio/decode-amr')).decoder()
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

/** Decodes a raw file. */
export const decodeRawAmr = (reader: Reader, codec: Amr): AsyncGenerator<Pcm> =>
  decodeFrames(codec, rawFrames(reader, codec))

/**
 * Decodes a track of an MP4 file.
 * @param delay encoder delay at the start in seconds, by the file
 */
export function decodeAmrTrack(
  reader: Reader,
  codec: Amr,
  tables: SampleTables,
  delay: number,
): AsyncGenerator<Pcm> {
  const pieces = decodeFrames(codec, trackFrames(reader, codec, tables))
  return withoutStart(pieces, delay <= LONGEST_DELAY ? Math.round(delay * AMR[codec].sample_rate) : 0)
}
