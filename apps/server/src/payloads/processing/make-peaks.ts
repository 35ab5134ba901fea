import type { Peaks } from '@custodia/contract'
import { PEAKS } from '../data-objects.ts'
import type { ObjectMaker } from './object-maker.ts'

/** Stores a waveform. */
export async function makePeaks(maker: ObjectMaker, drawn: Peaks): Promise<void> {
  await maker.make(PEAKS, 'application/json', one(Buffer.from(JSON.stringify(drawn))))
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
