import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateParameterToEpoch } from '@custodia/contract'
import fc from 'fast-check'
import { resolveDate, toDateParameter, toDayInput } from './date-range.ts'

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

test('an end includes its day', () => {
  assert.equal(iso(resolveDate('today', 'end', NOW)), '2026-11-22T03:00:00.000Z')
  assert.equal(iso(resolveDate('2026-11-01', 'end', NOW)), '2026-11-02T03:00:00.000Z')
})

test('hours count back from the full hour, now bounds nothing', () => {
  assert.equal(iso(resolveDate('-24h', 'start', NOW)), '2026-11-21T02:00:00.000Z')
  assert.equal(resolveDate('now', 'end', NOW), undefined)
})

test('what is no day bounds nothing', () => {
  for (const text of ['2026-02-30', 'soon', '-7y', '', undefined]) {
    assert.equal(resolveDate(text, 'start', NOW), undefined)
  }
})

test('the wire reads back every second that is written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
      assert.equal(dateParameterToEpoch(toDateParameter(seconds)), seconds)
    }),
  )
})

test('date inputs show the viewer’s day', () => {
  assert.equal(toDayInput('today', NOW), '2026-11-21')
  assert.equal(toDayInput('2026-03-09', NOW), '2026-03-09')
  assert.equal(toDayInput('now', NOW), '')
})
