import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeWish, wishToHear } from './wished.ts'

test('what was wished for is played once, and only that', () => {
  assert.equal(takeWish('a'), false)
  wishToHear('a')
  assert.deepEqual([takeWish('a'), takeWish('a')], [true, false])
  wishToHear('a')
  assert.deepEqual([takeWish('b'), takeWish('a')], [false, false])
})
