import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareOf } from './share.ts'

for (const [used, limit, share] of [
  [0, 0, 'none'],
  [1, 0, 'over'],
  [0, 10, 'fine'],
  [8, 10, 'fine'],
  [9, 10, 'near'],
  [10, 10, 'full'],
  [11, 10, 'over'],
] as const)
  test(`${used} of ${limit} is ${share}`, () => assert.equal(shareOf(used, limit), share))
