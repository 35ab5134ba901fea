import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesOf } from './chart-path.ts'

const field = { from: 0, to: 100, most: 50, pause: 20 }

test('a line connects its points from zero at the bottom to the maximum at the top', () => {
  const points = [
    { at: 0, value: 0 },
    { at: 10, value: 25 },
    { at: 20, value: 50 },
    { at: 30, value: 70 },
  ]
  assert.deepEqual(piecesOf(points, field), ['0,100 10,50 20,0 30,0'])
})

test('missing values and long pauses are gaps', () => {
  const points = [
    { at: 0, value: 50 },
    { at: 10, value: null },
    { at: 20, value: 50 },
    { at: 40, value: 50 },
    { at: 61, value: 50 },
  ]
  assert.deepEqual(piecesOf(points, field), ['0,0', '20,0 40,0', '61,0'])
})

test('no points give no line, and an empty range gives no error', () => {
  assert.deepEqual(piecesOf([], field), [])
  assert.deepEqual(piecesOf([{ at: 5, value: 0 }], { from: 5, to: 5, most: 0, pause: 1 }), ['0,100'])
})
