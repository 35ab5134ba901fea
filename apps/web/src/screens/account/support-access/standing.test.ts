import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expiryChoices, standing } from './standing.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const NOW = 1_800_000_000
const ids = (requested: number) => expiryChoices(requested, NOW).map(({ id }) => id)

test('presets end before what was requested', () => {
  assert.deepEqual(ids(NOW + 3 * DAY), ['hour', 'hours', 'day', 'requested'])
  assert.deepEqual(ids(NOW + 2 * HOUR), ['hour', 'requested'])
  assert.deepEqual(ids(NOW + HOUR), ['requested'])
})

test('nobody approves for more than seven days', () => {
  const choices = expiryChoices(NOW + 30 * DAY, NOW)
  assert.deepEqual(choices.at(-1), { id: 'longest', at: NOW + 7 * DAY })
  assert.ok(choices.every(({ at }) => at <= NOW + 7 * DAY))
})

test('what ran out is expired', () => {
  const request = { requested_expiry: NOW + DAY, approval_expiry: null }
  assert.equal(standing({ ...request, approval_state: 'pending' }, NOW), 'pending')
  assert.equal(standing({ ...request, approval_state: 'pending' }, NOW + DAY), 'expired')
  const approved = { ...request, approval_state: 'approved', approval_expiry: NOW + HOUR } as const
  assert.equal(standing(approved, NOW), 'approved')
  assert.equal(standing(approved, NOW + HOUR), 'expired')
})

test('a decision that ended it stays', () => {
  const request = { requested_expiry: NOW, approval_expiry: NOW }
  assert.equal(standing({ ...request, approval_state: 'rejected' }, NOW + DAY), 'rejected')
  assert.equal(standing({ ...request, approval_state: 'revoked' }, NOW + DAY), 'revoked')
  assert.equal(standing({ ...request, approval_state: 'canceled' }, NOW + DAY), 'canceled')
})
