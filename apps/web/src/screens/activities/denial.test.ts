import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeOf, readDenial } from './denial.ts'

const known = { not_permitted: 'Permission missing', terms_required: 'Terms not accepted' }

test('a denial is a known code and its detail', () => {
  assert.deepEqual(readDenial('not_permitted: no role permits roles:list', known), {
    code: 'not_permitted',
    detail: 'no role permits roles:list',
  })
  assert.deepEqual(readDenial('terms_required', known), { code: 'terms_required', detail: '' })
})

test('an unknown denial is shown unchanged', () => {
  for (const text of ['wrong password', 'toString: x', '', 'new_code: a\nb'])
    assert.deepEqual(readDenial(text, known), { code: undefined, detail: text })
})

test('a call is allowed, denied or failed', () => {
  const of = (is_allowed: boolean, status_code: number | null, denial_reason: string | null = null) =>
    outcomeOf({ is_allowed, status_code, denial_reason })
  assert.equal(of(true, 200), 'allowed')
  for (const status of [401, 403, 404, 429, null]) assert.equal(of(false, status), 'denied')
  for (const status of [400, 409, 412, 413, 500, 503]) assert.equal(of(false, status), 'failed')
  assert.equal(of(false, 400, 'sign_in_refused: wrong password'), 'denied')
})
