import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isLate, recordedEnd } from './lateness.ts'

describe('lateness', () => {
  const end = 1_790_000_000
  const sevenDays = 604_800
  const table: [number, boolean][] = [
    [-1, false],
    [0, false],
    [sevenDays - 1, false],
    [sevenDays, false],
    [sevenDays + 1, true],
  ]
  for (const [after, late] of table) {
    it(`${after} s after the end is ${late ? 'late' : 'in time'}`, () => {
      assert.equal(isLate({ recorded_end: end, uploaded_at: end + after }), late)
    })
  }
  it('counts from the end of the recording, else from its start', () => {
    assert.equal(recordedEnd({ payload_time: 10, payload_end_time: 70 }), 70)
    assert.equal(recordedEnd({ payload_time: 10 }), 10)
    assert.equal(recordedEnd({ payload_time: 10, payload_end_time: null }), 10)
    assert.equal(recordedEnd({ payload_time: 10, payload_end_time: 0 }), 0)
  })
})
