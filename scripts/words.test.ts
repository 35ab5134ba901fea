import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordsIn } from './words.ts'

test('finds words of the list in prose and inside identifiers, and leaves names', () => {
  const text = ['Somebody was told.', 'const readTold = is_wished', "user: 'nobody'", 'plain words'].join(
    '\n',
  )
  assert.deepEqual(
    wordsIn(text).map(({ line, word }) => `${line} ${word}`),
    ['1 Somebody', '1 told', '2 Told', '2 wished'],
  )
})
