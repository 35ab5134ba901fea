import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, media_files, skip, sniffOf, sourceOf, tools } from '../../testing/media-files.ts'
import { peaks } from './peaks.ts'
import { probe } from './probe.ts'

test('computes waveform, duration and pauses of a recorded call', { skip }, async () => {
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
