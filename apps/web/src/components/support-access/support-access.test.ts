import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftText } from './time-left.ts'

for (const [seconds, text] of [
  [2 * 86_400 + 4 * 3_600 + 59, '2 d 4 h'],
  [3 * 3_600 + 20 * 60 + 5, '3 h 20 min'],
  [3_599, '59 min'],
  [300, '5 min'],
  [299, '4:59'],
  [61, '1:01'],
  [0, '0:00'],
  [-5, '0:00'],
] as const)
  test(`${seconds} seconds are ${text}`, () => assert.equal(leftText(seconds), text))
