import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolveDate } from '../../components/lists/date-range.ts'
import { newSince } from './new-since.ts'

const NOON = new Date(2026, 10, 22, 12).getTime()

test('new records count from the day of the last visit, or from a week ago at first', () => {
  assert.deepEqual(newSince(null, NOON), { kind: 'first_visit', from: '-7d' })
  const minutes = (count: number) => NOON / 1000 + count * 60
  assert.equal(newSince(minutes(-5), NOON).from, 'today')
  assert.equal(newSince(minutes(-13 * 60), NOON).from, '2026-11-21')
  assert.equal(newSince(minutes(-13 * 60), NOON).kind, 'day')
})

test('the start date is valid in lists and includes the last visit', () => {
  for (const hours of [0, 1, 23, 24, 100, 5_000]) {
    const at = NOON / 1000 - hours * 3600
    const from = resolveDate(newSince(at, NOON).from, 'start', NOON) ?? Infinity
    assert.ok(from <= at && at - from < 90_000, String(hours))
  }
})
