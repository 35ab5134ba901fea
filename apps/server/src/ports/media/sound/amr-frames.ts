import type { Blocks } from './blocks.ts'
import { Cursor } from './cursor.ts'

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
