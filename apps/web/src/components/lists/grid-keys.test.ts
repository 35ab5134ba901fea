import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowAfterKey } from './grid-keys.ts'

for (const [key, from, to] of [
  ['ArrowDown', 4, 5],
  ['j', 9, 9],
  ['ArrowUp', 4, 3],
  ['k', 0, 0],
  ['PageDown', 1, 6],
  ['PageDown', 8, 9],
  ['PageUp', 3, 0],
  ['Home', 7, 0],
  ['End', 0, 9],
] as const) {
  test(`${key} moves from row ${from} to row ${to}`, () => assert.equal(rowAfterKey(key, from, 10, 5), to))
}

test('other keys do not move the row', () => assert.equal(rowAfterKey('Enter', 4, 10, 5), undefined))
test('an empty list stays at its start', () => assert.equal(rowAfterKey('End', 0, 0, 5), 0))
