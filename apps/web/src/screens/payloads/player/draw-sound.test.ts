import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Peaks } from '@custodia/contract'
import { drawn } from './draw-sound.ts'

/** Two parties in turn, with six seconds of silence between. */
function conversation() {
  const length = 70 * 8000
  const speech = (from: number, to: number) =>
    Float32Array.from({ length }, (_, i) => (i >= from * 8000 && i < to * 8000 ? Math.sin(i / 3) / 2 : 0))
  const channels = [speech(0, 40), speech(46, 70)]
  return { sampleRate: 8000, numberOfChannels: 2, length, getChannelData: (i: number) => channels[i]! }
}

test('decoded audio gives duration, silences and peaks in the server’s format', async () => {
  const peaks = Peaks.parse(await drawn(conversation(), new AbortController().signal))
  assert.equal(peaks.duration, 70)
  assert.deepEqual(peaks.silences, [[40, 46]])
  assert.ok(peaks.peaks.length > 4000 && Math.max(...peaks.peaks) > 60)
})

test('aborting ends the drawing', async () => {
  const leaving = new AbortController()
  leaving.abort()
  await assert.rejects(drawn(conversation(), leaving.signal), { name: 'AbortError' })
})
