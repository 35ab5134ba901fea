import assert from 'node:assert/strict'
import { test } from 'node:test'
import { middleEllipsis } from './middle-ellipsis.ts'

test('short values stay whole', () => {
  assert.equal(middleEllipsis('01JABC', 17), '01JABC')
  assert.equal(middleEllipsis('', 4), '')
})

test('long values keep both ends and the given length', () => {
  assert.equal(middleEllipsis('01J8ZQ4T9W6M3N5P7R2S', 9), '01J8…7R2S')
  assert.equal([...middleEllipsis('😀'.repeat(40), 10)].length, 10)
})
