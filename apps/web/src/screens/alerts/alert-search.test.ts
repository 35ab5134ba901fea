import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertAddress, alertSearch, OPEN_ALERTS } from './alert-search.ts'

test('all alerts have an address of their own and no filters', () => {
  const address = alertAddress({})
  assert.deepEqual(address, { view: 'all' })
  assert.deepEqual(alertSearch(address), {})
})

test('an open preview does not lead back to the beginning', () => {
  const preview = '01KAH3V3G0000000000000000A'
  assert.deepEqual(alertAddress({ preview }), { preview, view: 'all' })
})

test('a filtered address stays as it is', () => {
  for (const search of [OPEN_ALERTS, { severities: ['High'], is_dismissed: true }]) {
    assert.deepEqual(alertAddress(search), search)
    assert.deepEqual(alertSearch(search), search)
  }
})
