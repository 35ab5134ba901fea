import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDenial } from './denial.ts'

const known = { not_permitted: 'Permission missing', terms_required: 'Terms not accepted' }

test('a denial is a known code, and what the log adds', () => {
  assert.deepEqual(readDenial('not_permitted: no role permits roles:list', known), {
    code: 'not_permitted',
    detail: 'no role permits roles:list',
  })
  assert.deepEqual(readDenial('terms_required', known), { code: 'terms_required', detail: '' })
})

test('an unknown one is shown as it stands', () => {
  for (const text of ['wrong password', 'toString: x', '', 'new_code: a\nb'])
    assert.deepEqual(readDenial(text, known), { code: undefined, detail: text })
})
