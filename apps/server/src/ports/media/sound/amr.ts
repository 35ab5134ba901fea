import { decoder } from '@audio/decode-amr'
import { AMR, type Amr, cutFrames, type Frames, rawFrames } from './amr-frames.ts'
import type { Blocks } from './blocks.ts'
import { mp4Samples } from './mp4-samples.ts'
import type { SampleTables } from './mp4-tracks.ts'
import { type Pcm, withoutStart } from './pcm.ts'

/** Frames per decoder call: a second. */
const BATCH = 50
/** A longer cut at the start (seconds) is no encoder delay, and all of the sound is kept. */
const LONGEST_DELAY = 0.1

/**
 * opencore-amr in WebAssembly, with whole frames only: its memory is limited to 16 MiB (`modules.test.ts`).
 */
async function* decodeFrames(codec: Amr, frames: AsyncIterable<Frames>): AsyncGenerator<Pcm> {
  const { magic, sample_rate } = AMR[codec]
  const amr = await decoder()
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

export const decodeRawAmr = (blocks: Blocks, codec: Amr): AsyncGenerator<Pcm> =>
  decodeFrames(codec, rawFrames(blocks, codec))

async function* trackFrames(blocks: Blocks, codec: Amr, tables: SampleTables): AsyncGenerator<Frames> {
  for await (const sample of mp4Samples(blocks, tables)) {
    const { bytes, count } = cutFrames(codec, sample)
    if (count > 0) yield { bytes, count }
  }
}

/** @param delay encoder delay at the start in seconds, by the file */
export function decodeAmrTrack(
  blocks: Blocks,
  codec: Amr,
  tables: SampleTables,
  delay: number,
): AsyncGenerator<Pcm> {
  const pieces = decodeFrames(codec, trackFrames(blocks, codec, tables))
  return withoutStart(pieces, delay <= LONGEST_DELAY ? Math.round(delay * AMR[codec].sample_rate) : 0)
}
