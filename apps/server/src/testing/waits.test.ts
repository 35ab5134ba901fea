import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from './waits.ts'

describe('until', () => {
  it('repeats the check until it succeeds', async () => {
    let looks = 0
    const found = await until(
      'five',
      async () => ++looks,
      (value) => value === 5,
      { everyMs: 1 },
    )
    assert.deepEqual([found, looks], [5, 5])
  })

  it('fails with the awaited condition and the last value', async () => {
    await assert.rejects(
      until(
        'rain',
        () => ['sun'],
        (sky) => sky.includes('rain'),
        { seconds: 0, everyMs: 1 },
      ),
      /waited 0 s for rain; found last: \["sun"\]/,
    )
  })
})
