import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesOfPlay } from './entries-of-play.ts'

const entries = ['e', 'd', 'c', 'b', 'a'].map((log_id) => ({ log_id }))
const of = (first: string, ...plays: string[]) =>
  entriesOfPlay(
    first,
    entries,
    plays.map((log_id) => ({ log_id })),
  )
    .map(({ log_id }) => log_id)
    .join('')

test('a playback ends at the next playback or at the last entry', () => {
  assert.equal(of('b', 'd', 'b'), 'bc')
  assert.equal(of('d', 'd', 'b'), 'de')
  assert.equal(of('x', 'd', 'b'), '')
  assert.equal(of('c', 'b'), 'cde', 'an entry in the middle of a play shows what follows')
})
