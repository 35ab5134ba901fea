import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  alertAddress,
  alertKey,
  alertSearch,
  byClient,
  fromAlertKey,
  OPEN_ALERTS,
  portalPath,
} from './alert-addresses.ts'

test('a key holds the client and the alert reference', () => {
  const alert = { client: 'acme', alert_reference: '01J' }
  assert.deepEqual(fromAlertKey(alertKey(alert)), alert)
  for (const none of ['', 'acme', 'acme/', '/01J', 'a/b/c']) assert.equal(fromAlertKey(none), undefined, none)
})

test('keys are grouped by client', () => {
  assert.deepEqual(
    [...byClient(['acme/1', 'globex/2', 'acme/3', 'broken'])],
    [
      ['acme', ['1', '3']],
      ['globex', ['2']],
    ],
  )
})

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

test('paths of signed-in pages are links', () => {
  assert.equal(portalPath('/dashboard/account/audit?tab=devices'), '/dashboard/account/audit?tab=devices')
  assert.equal(portalPath('/internal/support'), '/internal/support')
})

for (const link of [
  undefined,
  '',
  'dashboard',
  '//evil.test/dashboard',
  'https://evil.test/dashboard',
  'javascript:alert(1)',
  '/dashboardish',
  '/dashboard/../sign-in',
  '/sign-in?code=x',
]) {
  test(`${link} is no portal path`, () => assert.equal(portalPath(link), undefined))
}
