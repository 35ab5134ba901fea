import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeCursors } from './cursor.ts'
import { Problem } from './problem.ts'
import { KeysUnavailable, KeyUnknown } from '../ports/keys/port.ts'
import { ObjectStoreUnavailable } from '../ports/objects/port.ts'
import { toProblem } from './translate.ts'

const cursors = makeCursors(Buffer.alloc(32, 1))

test('a cursor opens only for the list that it was created for', () => {
  const key = cursors.seal('payloads acme', [1_780_000_000, 'x'])
  assert.deepEqual(cursors.open('payloads acme', key), [1_780_000_000, 'x'])
  assert.throws(() => cursors.open('payloads globex', key), Problem)
})

test('an altered, foreign or invented cursor is rejected', () => {
  const key = cursors.seal('l', [5])
  for (let i = 0; i < key.length; i++) {
    const altered = `${key.slice(0, i)}${key[i] === 'A' ? 'B' : 'A'}${key.slice(i + 1)}`
    if (Buffer.from(altered, 'base64url').equals(Buffer.from(key, 'base64url'))) continue
    assert.throws(() => cursors.open('l', altered), { code: 'invalid_cursor' })
  }
  assert.throws(() => makeCursors(Buffer.alloc(32, 2)).open('l', key), { code: 'invalid_cursor' })
  for (const made of ['', 'x', '####', '\u0000'])
    assert.throws(() => cursors.open('l', made), { code: 'invalid_cursor' })
})

test('a cursor reveals neither its ids nor their length', () => {
  const keys = [7, 123_456_789].map((id) => cursors.seal('payloads acme', [1_780_000_000, id]))
  for (const key of keys)
    assert.doesNotMatch(Buffer.from(key, 'base64url').toString('latin1'), /1780000000|123456789/)
  assert.equal(keys[0]?.length, keys[1]?.length)
  assert.notEqual(
    keys[0],
    cursors.seal('payloads acme', [1_780_000_000, 7]),
    'the same place looks different each time',
  )
})

test('no two cursors are equal, and no nonce is used twice', () => {
  const keys = Array.from({ length: 1000 }, () => cursors.seal('l', [5]))
  assert.equal(new Set(keys).size, keys.length)
  // The nonce alone, which must be unique per key.
  assert.equal(new Set(keys.map((key) => key.slice(0, 16))).size, keys.length)
  for (const key of keys) assert.deepEqual(cursors.open('l', key), [5])
})

test('temporary failures of keys and storage become 503 unavailable, so that callers retry', () => {
  for (const error of [new KeysUnavailable('disk'), new ObjectStoreUnavailable('S3')]) {
    const { code, status, detail } = toProblem(error)
    assert.deepEqual([code, status, detail], ['unavailable', 503, error.message])
  }
})

test('a problem stays unchanged, and an unexpected error becomes internal', () => {
  const problem = new Problem('not_found')
  assert.equal(toProblem(problem), problem)
  for (const error of [new KeyUnknown('k'), new TypeError('x'), 'text', null, undefined])
    assert.equal(toProblem(error).code, 'internal')
})
