import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTick } from './axis-ticks.ts'
import { formatDuration, formatTime, zoneName } from './time-format.ts'

test('times are epoch seconds shown in the given time zone', () => {
  assert.equal(formatTime(1_700_000_000, 'en-GB', 'UTC'), '14 Nov 2023, 22:13')
  assert.equal(formatTime(1_700_000_000, 'en-GB', 'America/Sao_Paulo', 'second'), '14 Nov 2023, 19:13:20')
  assert.match(formatTime(1_700_000_000, 'pt-BR', 'America/Sao_Paulo'), /^14\/11\/2023,? 19:13$/)
})

test('an unknown time zone is read as UTC', () => {
  assert.equal(formatTime(0, 'en-GB', 'Mars/Olympus', 'day'), '1 Jan 1970')
  assert.equal(zoneName(0, 'en-GB', 'Mars/Olympus'), 'UTC')
})

test('ticks of an axis name the day at midnight', () => {
  const midnight = 1_700_006_400
  assert.equal(formatTick(midnight, 'en-GB', 'UTC'), '15 Nov')
  assert.equal(formatTick(midnight, 'pt-BR', 'UTC'), '15 de nov.')
  assert.equal(formatTick(midnight + 43_200, 'en-GB', 'UTC'), '12:00')
  assert.equal(formatTick(midnight, 'en-GB', 'America/Sao_Paulo'), '21:00')
})

test('durations show hours only from one hour on', () => {
  assert.equal(formatDuration(0), '0:00')
  assert.equal(formatDuration(62.6), '1:03')
  assert.equal(formatDuration(3_600), '1:00:00')
  assert.equal(formatDuration(-5), '0:00')
})
