import assert from 'node:assert/strict'
import { test } from 'node:test'
import { licenseLevel } from './license-level.ts'

for (const [used, limit, level] of [
  [0, 0, 'none'],
  [1, 0, 'over'],
  [0, 10, 'fine'],
  [8, 10, 'fine'],
  [9, 10, 'nearly'],
  [10, 10, 'full'],
  [11, 10, 'over'],
  [89_999, 100_000, 'fine'],
  [90_000, 100_000, 'nearly'],
] as const) {
  test(`${used} of ${limit} is ${level}`, () => assert.equal(licenseLevel(used, limit), level))
}
