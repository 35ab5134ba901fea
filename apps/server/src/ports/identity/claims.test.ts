import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readClaims } from './claims.ts'

test('accepts a person without an email address when the provider sends no email claim', () => {
  const { user_reference, email } = readClaims({ sub: 'ann', roles: ['Auditor'] })
  assert.deepEqual([user_reference, email], ['ann', undefined])
})

test('accepts an email address unless the provider says that it is not verified', () => {
  const emailOf = (said: object) => readClaims({ sub: 'ann', email: 'ann@acme.example', ...said }).email
  for (const said of [{}, { email_verified: true }, { email_verified: 'true' }])
    assert.equal(emailOf(said), 'ann@acme.example')
  for (const email_verified of [false, 'false']) assert.equal(emailOf({ email_verified }), undefined)
})
