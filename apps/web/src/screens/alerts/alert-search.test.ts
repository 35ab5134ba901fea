import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertAddress, alertSearch, OPEN_ALERTS } from './alert-search.ts'

test('the address of all alerts has its own view and no filters', () => {
  const address = alertAddress({})
  assert.deepEqual(address, { view: 'all' })
  assert.deepEqual(alertSearch(address), {})
})

test('an open preview keeps the view of all alerts', () => {
  const preview = '01KAH3V3G0000000000000000A'
  assert.deepEqual(alertAddress({ preview }), { preview, view: 'all' })
})

test('a filtered address stays unchanged', () => {
  for (const search of [OPEN_ALERTS, { severities: ['High'], is_dismissed: true }]) {
    assert.deepEqual(alertAddress(search), search)
    assert.deepEqual(alertSearch(search), search)
  }
})
