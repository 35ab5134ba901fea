import assert from 'node:assert/strict'
import { test } from 'node:test'
import { licenseLevel } from './level.ts'

test('licences are nearly used up from 90% on and used up from the limit on', () => {
  const expected = [
    [0, 0, null],
    [1, 0, 100],
    [0, 10, null],
    [8, 10, null],
    [9, 10, 90],
    [10, 10, 100],
    [11, 10, 100],
    [1, 1, 100],
    [89_999, 100_000, null],
    [90_000, 100_000, 90],
    [99_999, 100_000, 90],
  ] as const
  for (const [used, limit, level] of expected)
    assert.equal(licenseLevel(used, limit), level, `${used} of ${limit}`)
})
