import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowAfterKey, tileAfterKey } from './grid-keys.ts'

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

test('keys move within the tile grid and not beyond it', () => {
  const at = (key: string, current: number) => tileAfterKey(key, current, 10, { across: 4, rowsPerPage: 2 })
  assert.deepEqual(
    [at('ArrowRight', 3), at('ArrowLeft', 4), at('ArrowLeft', 0), at('ArrowRight', 9)],
    [4, 3, 0, 9],
  )
  assert.deepEqual([at('ArrowDown', 1), at('ArrowDown', 7), at('ArrowUp', 6), at('ArrowUp', 2)], [5, 9, 2, 2])
  assert.deepEqual([at('PageDown', 1), at('PageUp', 9), at('Home', 5), at('End', 5)], [9, 1, 0, 9])
  assert.equal(at('x', 5), undefined)
})
