import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bytesOf,
  collect,
  media_files,
  skip,
  sniffOf,
  sourceOf,
  tools,
} from '../../../testing/media-files.ts'
import { LONG } from '../../../testing/long.ts'
import { peaks } from '../peaks.ts'
import { probe } from '../probe.ts'
import { renderAudio } from '../render.ts'
import { Blocks } from './blocks.ts'
import { decodeMp3 } from './mp3.ts'
import { openSound } from './open-sound.ts'

async function samplesOf(mp3: Buffer): Promise<Float32Array> {
  const pieces: number[] = []
  const blocks = new Blocks(mp3.length, async (start, end) => mp3.subarray(start, end))
  for await (const { samples } of decodeMp3(blocks)) for (const sample of samples[0]!) pieces.push(sample)
  return Float32Array.from(pieces)
}

/** Similarity of two sounds (1: the same), with the second shifted by so many samples. */
function correlation(a: Float32Array, b: Float32Array, moved: number): number {
  let [ab, aa, bb] = [0, 0, 0]
  for (let i = Math.max(0, -moved); i < a.length && i + moved < b.length; i++) {
    const [x, y] = [a[i]!, b[i + moved]!]
    ab += x * y
    aa += x * x
    bb += y * y
  }
  return ab / Math.sqrt(aa * bb)
}

test('decodes and draws AMR like ffmpeg', { skip }, async () => {
  const files = media_files
    .map(({ file }) => file)
    .filter((file) => /\.amr$|calls.*3gp$|amr-nb\.3gp$/.test(file))
    .filter((file) => LONG || /^formats|en-complaint/.test(file))
  assert.ok(files.length >= (LONG ? 8 : 4))
  for (const file of files) {
    const bytes = bytesOf(file)
    const source = sourceOf(bytes)
    const probed = await probe(tools!, source, sniffOf(bytes))
    const theirs = await collect(renderAudio(tools!, source, probed).chunks)
    const drawn = await peaks(tools!, source, probed)
    await using sound = await openSound(source, sniffOf(bytes))
    const heard = sound!.listen(true)
    const ours = await collect(heard.chunks())
    const own = await heard.drawn()

    assert.ok(
      Math.abs(ours.length - theirs.length) <= 144,
      `${file}: ${ours.length} against ${theirs.length}`,
    )
    assert.ok(Math.abs(own.duration - drawn.duration) < 0.001, `${file}: ${own.duration} s`)
    assert.equal(own.silences.length, drawn.silences.length, file)
    const [a, b] = [await samplesOf(ours), await samplesOf(theirs)]
    // Resampling filters delay by a few samples; a second of sound shows the delay.
    const [c, d] = [a.subarray(8000, 24_000), b.subarray(8000, 24_000)]
    const delays = Array.from({ length: 81 }, (_, i) => ({ moved: i - 40, alike: correlation(c, d, i - 40) }))
    const { moved } = delays.reduce((best, one) => (one.alike > best.alike ? one : best))
    const alike = correlation(a, b, moved)
    assert.ok(alike > 0.99, `${file}: ${alike}`)
  }
})
