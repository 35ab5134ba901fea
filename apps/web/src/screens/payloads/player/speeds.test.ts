import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextSpeed, storedSpeed } from './speeds.ts'

test('a step goes to the next speed and stops at the fastest and slowest', () => {
  assert.equal(nextSpeed(1, 1), 1.25)
  assert.equal(nextSpeed(1, -1), 0.75)
  assert.equal(nextSpeed(3, 1), 3)
  assert.equal(nextSpeed(0.5, -1), 0.5)
})

test('an invalid stored speed falls back to normal speed', () => {
  assert.equal(storedSpeed({ getItem: () => '2' }), 2)
  for (const odd of [null, '', '16', 'NaN', '-1']) assert.equal(storedSpeed({ getItem: () => odd }), 1)
})
