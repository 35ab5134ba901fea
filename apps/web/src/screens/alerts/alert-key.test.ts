import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertKey, byClient, fromAlertKey } from './alert-key.ts'

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
