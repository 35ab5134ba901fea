import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatOffset, formatWallClock } from './formats.ts'

test('the device’s local time is shown unconverted', () => {
  assert.equal(formatWallClock('2026-11-02T23:04:05', 'en-GB'), '2 Nov 2026, 23:04:05')
})

test('an invalid time is shown unchanged', () => {
  assert.equal(formatWallClock('yesterday', 'en-GB'), 'yesterday')
})

test('formats offsets east and west, including half hours', () => {
  assert.equal(formatOffset(-180), 'UTC−03:00')
  assert.equal(formatOffset(330), 'UTC+05:30')
  assert.equal(formatOffset(-30), 'UTC−00:30')
  assert.equal(formatOffset(0), 'UTC+00:00')
})
