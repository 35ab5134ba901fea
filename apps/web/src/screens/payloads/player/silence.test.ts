import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { afterSilence } from './silence.ts'

test('a skip ends shortly before the end of the silence', () => {
  assert.equal(afterSilence(3, [[2, 6]]), 5.85)
})

test('speech and very short silences are not skipped', () => {
  assert.equal(afterSilence(1, [[2, 6]]), undefined)
  assert.equal(afterSilence(6, [[2, 6]]), undefined)
  assert.equal(afterSilence(5.5, [[2, 6]]), undefined)
})

test('a skip always goes forward and never past the silence', () => {
  const time = fc.double({ min: 0, max: 1e4, noNaN: true })
  fc.assert(
    fc.property(time, time, time, (position, from, length) => {
      const target = afterSilence(position, [[from, from + length]])
      assert.ok(target === undefined || (target > position && target < from + length))
    }),
  )
})
