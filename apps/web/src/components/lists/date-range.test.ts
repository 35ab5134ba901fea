import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateParameterToEpoch } from '@custodia/contract'
import fc from 'fast-check'
import { resolveDate, toDateParameter, toDateText, toDayInput } from './date-range.ts'

process.env.TZ = 'America/Sao_Paulo'
/** 21 November 2026, 23:30 in São Paulo: already the 22nd in UTC. */
const NOW = Date.UTC(2026, 10, 22, 2, 30)
const iso = (seconds: number | undefined) => seconds && new Date(seconds * 1000).toISOString()

test('relative days begin at the viewer’s midnight', () => {
  assert.equal(iso(resolveDate('today', 'start', NOW)), '2026-11-21T03:00:00.000Z')
  assert.equal(iso(resolveDate('yesterday', 'start', NOW)), '2026-11-20T03:00:00.000Z')
  assert.equal(iso(resolveDate('-7d', 'start', NOW)), '2026-11-14T03:00:00.000Z')
  assert.equal(iso(resolveDate('-2w', 'start', NOW)), '2026-11-07T03:00:00.000Z')
})

test('an end date includes the whole day', () => {
  assert.equal(iso(resolveDate('today', 'end', NOW)), '2026-11-22T03:00:00.000Z')
  assert.equal(iso(resolveDate('2026-11-01', 'end', NOW)), '2026-11-02T03:00:00.000Z')
})

test('hours count back from the full hour, and "now" sets no bound', () => {
  assert.equal(iso(resolveDate('-24h', 'start', NOW)), '2026-11-21T02:00:00.000Z')
  assert.equal(resolveDate('now', 'end', NOW), undefined)
})

test('an invalid date sets no bound', () => {
  for (const text of ['2026-02-30', 'soon', '-7y', '', undefined]) {
    assert.equal(resolveDate(text, 'start', NOW), undefined)
  }
})

test('a date parameter round-trips every second', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
      assert.equal(dateParameterToEpoch(toDateParameter(seconds)), seconds)
    }),
  )
})

test('date inputs show the viewer’s day', () => {
  assert.equal(toDayInput('today', 'start', NOW), '2026-11-21')
  assert.equal(toDayInput('2026-03-09', 'start', NOW), '2026-03-09')
  assert.equal(toDayInput('now', 'start', NOW), '')
  // An end date includes that day.
  assert.equal(toDayInput('2026-03-09', 'end', NOW), '2026-03-09')
  assert.equal(toDayInput('last-week', 'end', NOW), '2026-11-15')
  assert.equal(toDayInput('2026-03-09T17:30', 'end', NOW), '2026-03-09')
})

test('last week runs from Monday to Sunday, and this month is the whole month', () => {
  // The 21st is a Saturday; Sunday is in the same week, Monday is not.
  for (const [now, from, to] of [
    [NOW, '2026-11-09', '2026-11-16'],
    [Date.UTC(2026, 10, 22, 12), '2026-11-09', '2026-11-16'],
    [Date.UTC(2026, 10, 23, 12), '2026-11-16', '2026-11-23'],
  ] as const) {
    assert.equal(iso(resolveDate('last-week', 'start', now)), `${from}T03:00:00.000Z`)
    assert.equal(iso(resolveDate('last-week', 'end', now)), `${to}T03:00:00.000Z`)
  }
  assert.equal(iso(resolveDate('this-month', 'start', NOW)), '2026-11-01T03:00:00.000Z')
  assert.equal(iso(resolveDate('this-month', 'end', NOW)), '2026-12-01T03:00:00.000Z')
})

test('a time of day is a minute in the viewer’s time zone for both bounds', () => {
  assert.equal(iso(resolveDate('2026-11-21T09:30', 'start', NOW)), '2026-11-21T12:30:00.000Z')
  assert.equal(iso(resolveDate('2026-11-21T17:05', 'end', NOW)), '2026-11-21T20:05:00.000Z')
  assert.equal(resolveDate('2026-02-30T09:30', 'start', NOW), undefined)
  assert.equal(toDateText('2026-11-21', '09:30'), '2026-11-21T09:30')
  assert.equal(toDateText('2026-11-21', ''), '2026-11-21')
  assert.equal(toDateText('', '09:30'), undefined)
})
