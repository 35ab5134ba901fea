import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAYLOAD_STATES, PAYLOAD_TYPES } from '@custodia/contract'
import { boundParts, heardShare, isPlayed, isTooLittle, getSeconds } from './heard.ts'

test('played parts are merged, rounded to tenths and cut at the end of the recording', () => {
  const parts = boundParts(
    [
      { from: 5, to: 9 },
      { from: 0.04, to: 3 },
      { from: 3, to: 4.96 },
      { from: 8, to: 99 },
      { from: 50, to: 60 },
      { from: 7, to: 6 },
    ],
    39.96,
  )
  assert.deepEqual(parts, [{ from: 0, to: 40 }])
  assert.equal(
    getSeconds(
      boundParts(
        [
          { from: 0, to: 0.1 },
          { from: 0.3, to: 0.6 },
        ],
        undefined,
      ),
    ),
    0.4,
  )
})

test('the heard share is a whole percent, and unknown without a length', () => {
  assert.deepEqual(
    [heardShare(3, 40), heardShare(40.2, 40), heardShare(3, null), heardShare(3, 0)],
    [8, 100, undefined, undefined],
  )
})

test('only a review of a recording that can be heard needs a share', () => {
  const call = { payload_type: 'Call', payload_state: 'Processed', is_playable: true, length: 40 } as const
  assert.equal(isTooLittle('reviewed', { ...call, seconds: 19 }, 50), true)
  assert.equal(isTooLittle('reviewed', { ...call, seconds: 20 }, 50), false)
  assert.equal(isTooLittle('flagged', { ...call, seconds: 0 }, 50), false)
  assert.equal(isTooLittle('reviewed', { ...call, seconds: 0 }, 0), false)
  assert.equal(isTooLittle('reviewed', { ...call, seconds: 0, is_playable: false }, 50), false)
  assert.equal(isTooLittle('reviewed', { ...call, length: null, seconds: 0.9 }, 50), true)
  assert.equal(isTooLittle('reviewed', { ...call, length: null, seconds: 1 }, 50), false)
  assert.deepEqual(PAYLOAD_TYPES.filter(isPlayed), ['Call', 'Interview', 'Video'])
  assert.deepEqual(
    PAYLOAD_STATES.filter((payload_state) =>
      isTooLittle('reviewed', { ...call, payload_state, seconds: 0 }, 50),
    ),
    ['Processed', 'Transferred'],
  )
})
