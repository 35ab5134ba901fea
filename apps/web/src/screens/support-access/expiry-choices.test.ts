import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiryChoices } from './expiry-choices.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const NOW = 1_800_000_000
const ids = (requested: number) => expiryChoices(requested, NOW).map(({ id }) => id)

test('presets end before the requested time', () => {
  assert.deepEqual(ids(NOW + 3 * DAY), ['hour', 'hours', 'day', 'requested'])
  assert.deepEqual(ids(NOW + 2 * HOUR), ['hour', 'requested'])
  assert.deepEqual(ids(NOW + HOUR), ['requested'])
})

test('no choice is later than seven days', () => {
  const choices = expiryChoices(NOW + 30 * DAY, NOW)
  assert.deepEqual(choices.at(-1), { id: 'longest', at: NOW + 7 * DAY })
  assert.ok(choices.every(({ at }) => at <= NOW + 7 * DAY))
})
