import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  getActions,
  api,
  type Endpoint,
  type NamedRecording,
  LOCALES,
  loggedName,
  getParameters,
  type PortalActivity,
} from '@custodia/contract'
import { COUNTED, getOutcome, readDenial, getSentence, shortReference, getText } from './sentence.ts'

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
  names: {},
  ...more,
})
const readText = (more: Partial<PortalActivity>, locale: 'en-GB' | 'pt-BR' = 'en-GB') =>
  getSentence(entry(more), getParameters(more.parameters ?? '{}'), locale)
    .map((part) => ('text' in part ? part.text : `<${part.name}>`))
    .join('')

test('an entry is a sentence that names denied, failed and incomplete attempts', () => {
  assert.equal(readText({}), '<who> played <payload_reference>')
  assert.equal(readText({ was_handed_out: false }), '<who> requested playback of <payload_reference>')
  assert.equal(
    readText({ was_handed_out: false }, 'pt-BR'),
    '<who> solicitou a reprodução de <payload_reference>',
  )
  const seen = { payload_type: 'Photo' } as NonNullable<NamedRecording['seen']>
  assert.equal(readText({ recording: { payload_reference: 'A', seen } }), '<who> opened <payload_reference>')
  const denied = { action: 'roles:delete', is_allowed: false, status_code: 403, was_handed_out: null }
  assert.equal(readText(denied), 'Denied: <who> deleted the role <role_reference>')
  assert.equal(readText({ ...denied, status_code: 500 }), 'Failed: <who> deleted the role <role_reference>')
  assert.equal(
    readText({ action: 'roles:delete', status_code: 202 }),
    'Proposed: <who> deleted the role <role_reference>',
  )
  assert.equal(readText({ action: 'of:before' }), '<who>: of:before')
  const print = (more: object) =>
    readText({
      action: 'profile.exports:create',
      parameters: JSON.stringify({ list: 'x', format: 'print', ...more }),
    })
  assert.equal(print({ matter_id: 'm' }), '<who> printed the legal matter <matter_id>')
  assert.equal(print({ data_request_id: 'd' }), '<who> printed the data subject request <data_request_id>')
  assert.equal(print({}), '<who> printed the page <list>')
})

const ULID = '01J9ZK3V5Q8Y7XH2M4N6P07F3K'
/** Placeholders that need no parameter of the call. */
const OTHERS = ['who', 'holder', ...COUNTED]
/** What the server adds to entries of a call. */
const FACTS: Readonly<Record<string, object>> = {
  createExport: { export_id: ULID },
  openDataRequest: { data_request_id: ULID },
  sendCommands: { devices: 2, command: 'sync_data' },
  changeDeviceUsers: { users: 2, change: 'offboard' },
  enrolUsers: { users: 2 },
  openEnrolment: { device_user_reference: ULID },
  deactivateDevices: { devices: 2 },
  decideDeviceHolders: { devices: 2 },
}
/** Parameters that are lists of references. */
const LISTS = /_references$|^mark_ids$|^people$|^matters$/

test('each call of the table has a sentence with a subject, an act and an object, in both languages', () => {
  for (const [name, call] of Object.entries(api) as [string, Endpoint][]) {
    const fields = (schema: Endpoint['params'] | Endpoint['body']): object => {
      const { shape = {}, options = [] } = (schema?.def ?? {}) as {
        shape?: object
        options?: [Endpoint['params']]
      }
      const own = Object.keys(shape).map((field) => [field, LISTS.test(field) ? [ULID] : ULID])
      return { ...Object.fromEntries(own), ...(options[0] ? fields(options[0]) : {}) }
    }
    const [params, query, body] = [call.params, call.query, call.body].map(fields)
    const parameters = getParameters(JSON.stringify({ params, query, body, facts: FACTS[name] }))
    const powers: readonly string[] = call.powers ?? []
    const actions = getActions(call).filter((action) => !powers.includes(action))
    for (const action of actions.length > 0 ? actions : [loggedName(call)])
      for (const locale of LOCALES) {
        const parts = getSentence(entry({ action, was_handed_out: null }), parameters, locale)
        const text = parts
          .map((part) => {
            if ('text' in part) return part.text
            if (OTHERS.includes(part.name)) return `<${part.name}>`
            const value = getText(parameters, part.name)
            assert.ok(value, `${name}: ${action} has no ${part.name}`)
            return shortReference(value)
          })
          .join('')
        assert.match(text, /^<who> \p{L}+,? /u, `${name}: ${text}`)
        assert.doesNotMatch(text, /[0-9A-Z]{26}|\w:\w/, `${name}: ${text}`)
      }
  }
})

test('the sentence of a call follows its parameters', () => {
  const act = (action: string, parameters: object) =>
    readText({ action, parameters: JSON.stringify(parameters), was_handed_out: null })
  const body = { payload_references: ['a', 'b'], mark: 'reviewed' }
  assert.equal(act('payloads.marks:create', { body }), '<who> marked <recordings>: <mark>')
  assert.equal(
    act('payloads.marks:create', { body, facts: { recordings: 8, conversations: 2 } }),
    '<who> marked <recordings> in <conversations>: <mark>',
  )
  assert.equal(
    act('payloads:export', { params: { export_id: 'E', part: 1 }, facts: { recordings: 10 } }),
    '<who> downloaded <recordings> (export <export_id>)',
  )
  assert.equal(
    act('account.legal_matters:delete', { params: { matter_id: 'M' } }),
    '<who> closed the matter <matter_id>',
  )
  assert.equal(
    act('account.legal_matters:delete', { params: { matter_id: 'M', target: 'Harriet' } }),
    '<who> removed <target> from the matter <matter_id>',
  )
})

test('parameter values are read from every part of a call, and unreadable ones are missing', () => {
  const read = (text: string, ...names: string[]) => names.map((name) => getText(getParameters(text), name))
  const whole =
    '{"params":{"tag_key":"desk"},"query":{"limit":5},"body":{"names":["a","b","c","d"],"deep":{"x":1}},"data_address":"D"}'
  assert.deepEqual(read(whole, 'tag_key', 'limit', 'names', 'deep', 'data_address'), [
    'desk',
    '5',
    'a, b, c …',
    undefined,
    'D',
  ])
  assert.deepEqual(read('{"body":{"names":{"cut":["a"],"items":7}}}', 'names'), ['a …'])
  for (const unreadable of ['', 'not JSON', 'null', '[1]', '"x"'])
    assert.deepEqual(getParameters(unreadable), {})
})

test('a generated reference is quoted by its last four characters', () => {
  assert.equal(shortReference('01J9ZK3V5Q8Y7XH2M4N6P07F3K'), '7F3K')
  assert.equal(shortReference('Harriet Cole'), 'Harriet Cole')
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
    getOutcome({ is_allowed, status_code, denial_reason })
  assert.equal(of(true, 200), 'allowed')
  for (const status of [401, 403, 404, 429, null]) assert.equal(of(false, status), 'denied')
  for (const status of [400, 409, 412, 413, 500, 503]) assert.equal(of(false, status), 'failed')
  assert.equal(of(false, 400, 'sign_in_refused: wrong password'), 'denied')
})
