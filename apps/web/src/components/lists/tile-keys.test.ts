import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tileAfterKey } from './tile-keys.ts'

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
