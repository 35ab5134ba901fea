import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noticeDelay } from './notice-delay.ts'

test('the notice appears five minutes before the end', () => {
  assert.equal(noticeDelay(1_000, 0), 700_000)
  assert.equal(noticeDelay(1_000, 699_000), 1_000)
})

test('a late notice appears at once, and never after the end', () => {
  assert.equal(noticeDelay(1_000, 800_000), 0)
  assert.equal(noticeDelay(1_000, 1_000_000), undefined)
})

test('an end beyond the timer limit gets no notice', () => {
  assert.equal(noticeDelay(10_000_000, 0), undefined)
})
