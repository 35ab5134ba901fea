import assert from 'node:assert/strict'
import { once } from 'node:events'
import { before, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { Measured } from './modules.test-support.ts'

const MiB = 16

let measured: Measured
before(async () => {
  const thread = new Worker(new URL('modules.test-support.ts', import.meta.url))
  ;[measured] = (await once(thread, 'message')) as [Measured]
  await thread.terminate()
})

test('limits the memory of each decoder as its module declares', () => {
  assert.deepEqual(
    measured.amr.map(({ most }) => most),
    [16 * MiB],
  )
  for (const [found, most] of [
    [measured.mp3, 17],
    [measured.opus, 28],
  ] as const) {
    // Another module unpacks the decoder and sees nothing else.
    const memory = found.at(-1)
    assert.ok(memory && memory.most <= most * MiB, `${memory?.most} pages`)
    assert.equal(memory.used, memory.most)
  }
})

test('encodes one second at a time, so that the memory of the encoder does not grow', () => {
  assert.deepEqual(
    measured.encoder.map(({ used }) => used),
    [16 * MiB],
  )
  assert.ok(Math.abs(measured.bytes / 4000 - 120) < 0.2)
})
