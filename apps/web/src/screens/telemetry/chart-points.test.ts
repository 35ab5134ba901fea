import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withGaps } from './chart-points.ts'

test('a line breaks in a pause that is too long, and at a value that was not reported', () => {
  const points = [
    { at: 0, value: 5 },
    { at: 100, value: null },
    { at: 200, value: 6 },
    { at: 301, value: 7 },
  ]
  assert.deepEqual(withGaps(points, 100), [...points.slice(0, 3), { at: 201, value: null }, points[3]])
  assert.deepEqual(withGaps(points, 101), points)
})
