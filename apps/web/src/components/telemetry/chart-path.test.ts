import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesOf } from './chart-path.ts'

const field = { from: 0, to: 100, most: 50, pause: 20 }

test('a line goes through its points, from the bottom at zero to the top at most', () => {
  const points = [
    { at: 0, value: 0 },
    { at: 10, value: 25 },
    { at: 20, value: 50 },
    { at: 30, value: 70 },
  ]
  assert.deepEqual(piecesOf(points, field), ['0,100 10,50 20,0 30,0'])
})

test('what was not said, and a long pause, are gaps', () => {
  const points = [
    { at: 0, value: 50 },
    { at: 10, value: null },
    { at: 20, value: 50 },
    { at: 40, value: 50 },
    { at: 61, value: 50 },
  ]
  assert.deepEqual(piecesOf(points, field), ['0,0', '20,0 40,0', '61,0'])
})

test('nothing makes no line, and a field without extent no fault', () => {
  assert.deepEqual(piecesOf([], field), [])
  assert.deepEqual(piecesOf([{ at: 5, value: 0 }], { from: 5, to: 5, most: 0, pause: 1 }), ['0,100'])
})
