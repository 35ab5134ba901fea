import { MPEGDecoder } from 'mpg123-decoder'
import { type Blocks, Cursor } from './cursor.ts'
import type { Pcm } from './amr.ts'

/** A few seconds of speech. */
const PIECE = 16 * 1024

/** mpg123 in WebAssembly, with fixed memory. It returns two channels, equal for mono. */
export async function* decodeMp3(blocks: Blocks): AsyncGenerator<Pcm> {
  const mpg123 = new MPEGDecoder()
  await mpg123.ready
  const cursor = new Cursor(blocks, 0)
  while (cursor.left > 0) {
    const { channelData, samplesDecoded, sampleRate } = mpg123.decode(await cursor.takeUpTo(PIECE))
    if (samplesDecoded > 0) yield { sample_rate: sampleRate, samples: channelData }
  }
}
