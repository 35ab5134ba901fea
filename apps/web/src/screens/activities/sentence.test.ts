import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PortalActivity } from '@custodia/contract'
import { outcomeOf, readDenial, sentenceOf, valuesOf } from './sentence.ts'

const entry = (more: Partial<PortalActivity>): PortalActivity => ({
  log_id: 'l',
  activity_time: 1,
  activity_end_time: 1,
  duration: 0,
  group: null,
  action: 'payloads:play',
  is_allowed: true,
  denial_reason: null,
  parameters: '{}',
  status_code: 200,
  request_id: 'r',
  user_id: 'bob',
  user_ip: '::1',
  browser: null,
  roles: [],
  is_client_app: false,
  support_reference: null,
  recording: null,
  was_handed_out: true,
  ...more,
})
const readText = (more: Partial<PortalActivity>, locale: 'en-GB' | 'pt-BR' = 'en-GB') =>
  sentenceOf(entry(more), locale)
    .map((part) => ('text' in part ? part.text : `<${part.name}>`))
    .join('')

test('an entry is a sentence that names denied, failed and incomplete attempts', () => {
  assert.equal(readText({}), '<who> played <payload_reference>')
  assert.equal(readText({ was_handed_out: false }), '<who> requested playback of <payload_reference>')
  assert.equal(
    readText({ was_handed_out: false }, 'pt-BR'),
    '<who> solicitou a reprodução de <payload_reference>',
  )
  const denied = { action: 'roles:delete', is_allowed: false, status_code: 403, was_handed_out: null }
  assert.equal(readText(denied), 'Denied: <who> deleted the role <role_reference>')
  assert.equal(readText({ ...denied, status_code: 500 }), 'Failed: <who> deleted the role <role_reference>')
  assert.equal(readText({ action: 'of:before' }), '<who>: of:before')
})

test('parameter values are read from every part of a call, and unreadable ones are missing', () => {
  assert.deepEqual(
    valuesOf(
      '{"params":{"tag_key":"desk"},"query":{"limit":5},"body":{"names":["a","b","c","d"],"deep":{"x":1}}}',
    ),
    { tag_key: 'desk', limit: '5', names: 'a, b, c …' },
  )
  assert.deepEqual(valuesOf('{"payload_reference":"P","data_address":"D"}'), {
    payload_reference: 'P',
    data_address: 'D',
  })
  for (const unreadable of ['', 'not JSON', 'null', '[1]', '"x"']) assert.deepEqual(valuesOf(unreadable), {})
})

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
