import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getDuration, stepped } from './times.ts'

test('a step goes to the middle of the next or previous frame', () => {
  assert.equal(stepped(0, 1, 25), 1.5 / 25)
  let at = 4
  for (let i = 0; i < 100; i++) at = stepped(at, 1, 29.97)
  assert.equal(Math.floor(at * 29.97), Math.floor(4 * 29.97) + 100)
  for (let i = 0; i < 100; i++) at = stepped(at, -1, 29.97)
  assert.equal(Math.floor(at * 29.97), Math.floor(4 * 29.97))
  assert.equal(stepped(0.01, -1, 25), 0)
  // A frame begins at its number despite rounding of the division.
  assert.equal(stepped(3 * (1 / 30), 1, 30), 4.5 / 30)
})

test('the device’s duration is used unless the audio differs clearly', () => {
  assert.deepEqual(getDuration({ duration: 62 }, 61.2), { seconds: 62, isOther: false })
  assert.deepEqual(getDuration({ duration: 62 }, 0), { seconds: 62, isOther: false })
  assert.deepEqual(getDuration({}, 61.2), { seconds: 61.2, isOther: false })
  assert.deepEqual(getDuration({ duration: 600 }, 181), { seconds: 181, isOther: true })
})
