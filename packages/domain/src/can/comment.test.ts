import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAYLOAD_STATES } from '@custodia/contract'
import { liesWithin, takesComments } from './comment.ts'

test('every payload except a destroyed one takes comments', () => {
  assert.deepEqual(
    PAYLOAD_STATES.filter((payload_state) => !takesComments({ payload_state })),
    ['Destroyed'],
  )
})

test('a commented part must end within its recording, to the millisecond', () => {
  assert.equal(liesWithin({ start_time: 12, duration: 0 }, 12), true)
  assert.equal(liesWithin({ start_time: 0, duration: 12.345 }, 12.345), true)
  assert.equal(liesWithin({ start_time: 0, duration: 12.346 }, 12.345), false)
  assert.equal(liesWithin({ start_time: 12.001, duration: 0 }, 12), false)
  // In floating point 0.1 + 0.2 is more than 0.3; the comparison is in milliseconds.
  assert.equal(liesWithin({ start_time: 0.1, duration: 0.2 }, 0.3), true)
})

test('a payload without playback has no parts', () => {
  assert.equal(liesWithin({ start_time: 0, duration: 0 }, undefined), false)
})
