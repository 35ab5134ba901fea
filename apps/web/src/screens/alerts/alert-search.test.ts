import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertAddress, alertFilters, alertSearch, OPEN_ALERTS } from './alert-search.ts'

const given = (query: object) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))

test('the page begins with what waits for somebody', () => {
  assert.deepEqual(given(alertFilters(alertSearch(OPEN_ALERTS), 0)), {
    states: ['Triggered'],
    is_dismissed: false,
  })
})

test('all alerts have an address of their own and no filters', () => {
  const address = alertAddress({ preview: undefined })
  assert.deepEqual(given(address), { view: 'all' })
  assert.deepEqual(given(alertSearch(address)), {})
})

test('an open preview does not lead back to the beginning', () => {
  const preview = '01KAH3V3G0000000000000000A'
  assert.deepEqual(given(alertAddress({ preview })), { preview, view: 'all' })
})

test('a filtered address stays as it is', () => {
  assert.deepEqual(given(alertAddress({ severities: ['High'], dismissed: 'yes' })), {
    severities: ['High'],
    dismissed: 'yes',
  })
})
