import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { interleaved, LoudnessMeter, PeakFolder, Waveform } from './waveform.ts'

test('peaks equal those of each slice for any chunk sizes', () => {
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

const tone = (seconds: number, level: number) =>
  Int16Array.from({ length: seconds * 8000 }, (_, i) => level * Math.sin(i / 3) + (i % 7))
const measure = (...parts: Int16Array[]) => {
  const meter = new LoudnessMeter(8000)
  for (const part of parts) meter.add(part)
  return meter.silences()
}

test('a part below the line noise counts as silence if it is long enough', () => {
  assert.deepEqual(measure(tone(3, 8000), tone(2, 60), tone(3, 8000)), [[3, 5]])
  assert.deepEqual(measure(tone(3, 8000), tone(0.8, 0), tone(3, 8000)), [])
  assert.deepEqual(measure(tone(2, 0), tone(1, 8000), tone(2, 0)), [
    [0, 2],
    [3, 5],
  ])
})

test('silent audio is one silence, and loud or empty audio has none', () => {
  assert.deepEqual(measure(tone(4, 0)), [[0, 4]])
  assert.deepEqual(measure(tone(4, 8000)), [])
  assert.deepEqual(measure(), [])
})

test('channels that cancel each other out are drawn and do not double the duration', () => {
  const waveform = new Waveform(16_000, 2)
  const left = Float32Array.from({ length: 32_000 }, (_, i) => 0.5 * Math.sin(i / 5))
  waveform.add(interleaved([left, left.map((sample) => -sample)]))
  const { duration, peaks } = waveform.draw()
  assert.equal(duration, 2)
  assert.ok(Math.max(...peaks) > 60 && Math.min(...peaks) < -60)
  assert.equal(peaks.length, 400)
})

test('samples that are too loud or not a number are clamped', () => {
  assert.deepEqual([...interleaved([Float32Array.of(2, -2, Number.NaN, 0.5)])], [32767, -32768, 0, 16384])
})
