import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf, media_files, skip, sniffOf, sourceOf, tools } from './fixtures.ts'
import { PeakFolder, peaks } from './peaks.ts'
import { probe } from './probe.ts'
import { LoudnessMeter } from './silences.ts'

test('folding equals looking at each slice, however the samples come in', () => {
  const input = fc.record({
    count: fc.integer({ min: 0, max: 700_000 }),
    seed: fc.integer({ min: 1, max: 1e9 }),
    cut: fc.integer({ min: 1, max: 90_000 }),
  })
  fc.assert(
    fc.property(input, ({ count, seed, cut }) => {
      let state = seed
      const pcm = Int16Array.from(
        { length: count },
        () => (state = Math.imul(state, 1103515245) + 12345) >> 16,
      )
      const folder = new PeakFolder(80)
      for (let at = 0; at < count; at += cut) folder.add(pcm.subarray(at, at + cut))
      const expected: number[] = []
      for (let at = 0; at < count; at += folder.samples_per_peak) {
        const slice = pcm.subarray(at, at + folder.samples_per_peak)
        let [low, high] = [32767, -32768]
        for (const sample of slice) [low, high] = [Math.min(low, sample), Math.max(high, sample)]
        expected.push(low >> 8, high >> 8)
      }
      assert.deepEqual(folder.pairs(), expected)
      assert.ok(expected.length <= 8000)
    }),
    { numRuns: 15 },
  )
})

test('a call of AMR has a waveform, its length and its pauses', { skip }, async () => {
  const calls = media_files.filter((media) => media.kind === 'call' || media.kind === 'interview')
  for (const { file, duration, pauses } of calls) {
    const bytes = bytesOf(file)
    const source = sourceOf(bytes)
    const made = await peaks(tools!, source, await probe(tools!, source, sniffOf(bytes)))
    assert.ok(Math.abs(made.duration - duration!) < 0.2, file)
    assert.ok(made.peaks.length > 2000 && made.peaks.length <= 8000)
    assert.ok(made.peaks.every((value) => Number.isInteger(value) && value >= -128 && value <= 127))
    assert.ok(Math.max(...made.peaks) > 20, `${file} is heard`)
    for (const [start, end] of pauses!) {
      const overlap = ([from, to]: [number, number]) => Math.min(to, end) - Math.max(from, start)
      assert.ok(
        made.silences.some((silence) => overlap(silence) > 0.8 * (end - start) - 0.3),
        `${file} pauses at ${start}`,
      )
    }
    const silent = made.silences.reduce((sum, [from, to]) => sum + to - from, 0)
    assert.ok(silent < 0.4 * made.duration, `${file} is not taken for silent`)
  }
})

const tone = (seconds: number, level: number) =>
  Int16Array.from({ length: seconds * 8000 }, (_, i) => level * Math.sin(i / 3) + (i % 7))
const measure = (...parts: Int16Array[]) => {
  const meter = new LoudnessMeter(8000)
  for (const part of parts) meter.add(part)
  return meter.silences()
}

test('silence is what lies below the noise of the line', () => {
  assert.deepEqual(measure(tone(3, 8000), tone(2, 60), tone(3, 8000)), [[3, 5]])
  assert.deepEqual(measure(tone(3, 8000), tone(0.8, 0), tone(3, 8000)), [])
  assert.deepEqual(measure(tone(2, 0), tone(1, 8000), tone(2, 0)), [
    [0, 2],
    [3, 5],
  ])
})

test('all silent is one silence, all loud is none, nothing is nothing', () => {
  assert.deepEqual(measure(tone(4, 0)), [[0, 4]])
  assert.deepEqual(measure(tone(4, 8000)), [])
  assert.deepEqual(measure(), [])
})
