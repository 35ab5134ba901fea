import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod/mini'
import { Condition, GROUP_TAG_LIMIT, Group, Role } from './access.ts'
import { alertAdvice } from './alert-advice.ts'
import { ALERT_TEXTS, alertPhrases } from './alert-texts.ts'
import { getActions, type Endpoint, fullPath } from './endpoint.ts'
import { FAULTS, faultPhrase } from './fault-phrases.ts'
import { PARSE_OPTIONS } from './fault.ts'
import { ACCOUNT_ACTIONS, api } from './index.ts'
import { LOG_SENTENCES, loggedName, logSentence } from './log-sentences.ts'
import { PAYLOAD_META, PAUSE_LIMIT, SECOND_PARTY_LIMIT } from './payload-meta.ts'
import { PAYLOAD_TYPES, SERVICE_TYPES, getService } from './payload-types.ts'
import { EXPECTATIONS, nounWords, permissionWords } from './permission-words.ts'
import { LOCALES } from './phrases.ts'
import { PROBLEMS } from './problems.ts'
import { SignatureOfFile } from './retention-certificates.ts'
import { readRestored, restoredReason } from './retention.ts'
import { CidrRange, DateParameter, prose, text, Ulid, uniqueList } from './scalars.ts'
import { SIGNED_FILES } from './signed-files.ts'
import { TagInput } from './tags.ts'
import { toFaults } from './to-faults.ts'

const rows = Object.entries(api) as [string, Endpoint][]

test('each call has a unique path and exactly the parameters of that path', () => {
  const seen = new Set<string>()
  for (const [name, endpoint] of rows) {
    const place = `${endpoint.method} ${fullPath(endpoint)}`
    assert.ok(!seen.has(place), place)
    seen.add(place)
    const named = [...fullPath(endpoint).matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort()
    assert.deepEqual(Object.keys(endpoint.params?.def.shape ?? {}).sort(), named, name)
  }
})

test('each save that If-Match guards may also meet If-None-Match', () => {
  /** Refused as changed for other reasons than an ETag. */
  const others = ['confirmDeviceHolder', 'releaseDestruction', 'uploadMigrationFile']
  for (const [name, { problems }] of rows)
    if (problems?.includes('changed_meanwhile') && !others.includes(name))
      assert.ok(problems.includes('already_exists'), name)
})

test('each portal call declares an action and what it concerns, and no other call does', () => {
  for (const [name, endpoint] of rows) {
    assert.equal(getActions(endpoint).length > 0, endpoint.authentication === 'portal', name)
    assert.equal(endpoint.concerns !== undefined, endpoint.authentication === 'portal', name)
    for (const action of getActions(endpoint)) assert.match(action, /^[a-z_]+(?:\.[a-z_]+)*:[a-z_]+$/, name)
  }
})

test('queries reject unknown fields', () => {
  for (const [name, endpoint] of rows) {
    if (!endpoint.query) continue
    const parsed = endpoint.query.safeParse({ nonsense: '1' }, PARSE_OPTIONS)
    assert.ok(!parsed.success, name)
    assert.ok(
      toFaults(parsed.error.issues).some(
        (fault) => fault.code === 'not_allowed' && fault.path === 'nonsense',
      ),
      name,
    )
  }
})

test('no call deletes a payload or an audit entry', () => {
  for (const [, endpoint] of rows) {
    // Closing a comment deletes nothing: its versions stay.
    if (endpoint.method === 'DELETE' && !endpoint.path.endsWith('/comments/{comment_id}'))
      assert.doesNotMatch(endpoint.path, /payload|activit|audit/)
  }
})

test('every problem and fault has text in both languages', () => {
  for (const [code, texts] of Object.entries({ ...PROBLEMS, ...FAULTS })) {
    for (const locale of LOCALES) assert.ok(texts[locale].length > 3, `${code} ${locale}`)
    const placeholders = LOCALES.map((locale) =>
      [...texts[locale].matchAll(/\{\w+\}/g)].map(String).sort().join(),
    )
    assert.equal(placeholders[0], placeholders[1], code)
  }
})

test('every alert says what to do, in one sentence of both languages', () => {
  for (const code of Object.keys(ALERT_TEXTS)) {
    const advice = LOCALES.map((locale) => alertAdvice(code, locale))
    for (const sentence of advice) assert.match(sentence ?? '', /^[A-Z][^.]{10,}\.$/, code)
    assert.notEqual(advice[0], advice[1], code)
  }
})

test('every payload type belongs to one service', () => {
  assert.deepEqual(Object.values(SERVICE_TYPES).flat().sort(), [...PAYLOAD_TYPES].sort())
  assert.equal(getService('BlockedCall'), 'calls')
})

test('a group has at most 50 tags, without duplicates', () => {
  const tags = Array.from({ length: GROUP_TAG_LIMIT + 1 }, (_, i) => ({ key: `k${i}`, value: '' }))
  const group = (some: unknown[]) => Group.safeParse({ group_reference: 'North', tags: some }).success
  assert.ok(group(tags.slice(0, GROUP_TAG_LIMIT)))
  assert.ok(!group(tags))
  assert.ok(!group([tags[0], tags[0]]))
})

test('a role needs a permission and a condition needs a pattern', () => {
  const role = {
    role_reference: 'Reader',
    permissions: [{ actions_matching: ['payloads:*'] }],
    payload_types: [],
    cidr_ranges: [],
    alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
    is_alertable: false,
    is_system: false,
  }
  assert.ok(Role.safeParse(role).success)
  assert.ok(!Role.safeParse({ ...role, permissions: [] }).success)
  assert.ok(!Condition.safeParse({}).success)
  assert.ok(Condition.safeParse({ keys_matching: ['region'] }).success)
})

const common = {
  payload_reference: '0'.repeat(26),
  timezone: 'Europe/London',
  timezone_offset: 0,
  local_time: '2026-11-20T10:00:00',
  payload_time: 1_780_000_000,
}
const party = { phone_number: '+447700900101', direction: 'I', start_time: 1_780_000_000, duration: 5 }
const call = { ...common, payload_end_time: 1_780_000_100, size: 10 }

test('a call has 1 to 1000 second parties, a blocked call 0 to 1000', () => {
  const parties = (count: number) => Array.from({ length: count }, () => party)
  const accepts = (type: 'Call' | 'BlockedCall', count: number) =>
    PAYLOAD_META[type].safeParse({
      ...call,
      second_parties: parties(count),
      ...(type === 'BlockedCall' ? { reason_for_blocking: 'policy' } : {}),
    }).success
  assert.deepEqual(
    [0, 1, SECOND_PARTY_LIMIT, SECOND_PARTY_LIMIT + 1].map((n) => accepts('Call', n)),
    [false, true, true, false],
  )
  assert.deepEqual(
    [0, SECOND_PARTY_LIMIT, SECOND_PARTY_LIMIT + 1].map((n) => accepts('BlockedCall', n)),
    [true, true, false],
  )
})

test('the reason of a pause after a restore keeps the backup and what a person wrote before', () => {
  const backup = new Date('2026-11-22T10:30:00Z')
  const seconds = backup.getTime() / 1000
  const first = restoredReason(backup, 'An audit is under way')
  assert.deepEqual(readRestored(first), { backup: seconds, former: 'An audit is under way' })
  assert.equal(restoredReason(backup, first), first)
  assert.deepEqual(readRestored(restoredReason(backup, null)), { backup: seconds, former: undefined })
  assert.equal(readRestored('An audit is under way'), undefined)
})

test('an interview has 0 to 1000 pauses', () => {
  const accepts = (count: number) =>
    PAYLOAD_META.Interview.safeParse({
      ...common,
      payload_end_time: 1_780_000_100,
      payload_duration: 100,
      interview_pause_times: Array.from({ length: count }, () => ({
        start_time: 1_780_000_010,
        duration: 1,
      })),
    }).success
  assert.deepEqual([0, PAUSE_LIMIT, PAUSE_LIMIT + 1].map(accepts), [true, true, false])
})

test('a message has at least one party, in the new or the older form', () => {
  const message = { ...common, thread_id: 't', direction: 'O', length: 2 }
  const accepts = (more: object) => PAYLOAD_META.SMS.safeParse({ ...message, ...more }).success
  assert.ok(accepts({ message_parties: [{ phone_number: '60123' }] }))
  assert.ok(!accepts({ message_parties: [] }))
  assert.ok(accepts({ second_party: '+1', saved_name_for_second_party: 'Ana' }))
  assert.ok(!accepts({}))
  assert.ok(!accepts({ message_parties: [{ phone_number: '1' }], direction: 'X' }))
  // Exactly 32, or null (spec section 3).
  const named = (message_id: unknown) => accepts({ second_party: '+1', message_id })
  assert.deepEqual([undefined, null, 'm'.repeat(31), 'm'.repeat(32), 'm'.repeat(33)].map(named), [
    true,
    true,
    false,
    true,
    false,
  ])
})

test('faults have the texts of the specification', () => {
  const schema = z.strictObject({ email: z.string(), count: z.int(), kind: z.enum(['a', 'b']) })
  const parsed = schema.safeParse({ count: 'x', other: 1 }, PARSE_OPTIONS)
  assert.ok(!parsed.success)
  const faults = new Map(toFaults(parsed.error.issues).map((fault) => [fault.path, fault]))
  assert.equal(faults.get('email')?.message, "The 'email' field is required.")
  assert.equal(faults.get('kind')?.message, "The 'kind' field is required.")
  assert.equal(faults.get('count')?.message, 'Please provide a valid number for the field.')
  const half = z.int().safeParse(1.5, PARSE_OPTIONS).error?.issues ?? []
  const { code, values, message } = toFaults(half)[0] ?? assert.fail('a half is whole')
  assert.equal(message, 'Please provide a valid whole number for the field.')
  assert.equal(
    faultPhrase(code, values ?? {}, 'pt-BR'),
    'Informe um valor válido do tipo número inteiro para o campo.',
  )
  assert.equal(faults.get('other')?.code, 'not_allowed')
  const order = (order: unknown) =>
    toFaults(api.sendCommands.body.safeParse({ order }, PARSE_OPTIONS).error?.issues ?? [])
  assert.deepEqual(
    order({}).map(({ path, message }) => [path, message]),
    [['order.command', "The 'command' field is required."]],
  )
  assert.deepEqual(
    order({ command: 'sing' }).map(({ code }) => code),
    ['not_an_option'],
  )
})

test('alert texts have the same placeholders and the right wording in both languages', () => {
  const names = (text: string) => [...new Set(text.match(/\{\w+\}/g))].toSorted()
  for (const [code, { subject, message }] of Object.entries(ALERT_TEXTS)) {
    assert.deepEqual(names(subject['en-GB']), names(subject['pt-BR']), code)
    assert.deepEqual(names(message['en-GB']), names(message['pt-BR']), code)
  }
  const failed = { code: 'payload_failed', values: { payload_reference: 'P', failure: 'wrong_size' } }
  assert.match(alertPhrases(failed, 'pt-BR')?.message ?? '', /^O envio não tem o tamanho anunciado/)
  const short = { code: 'licenses_short', values: { services: 'calls, gps, videos', device_reference: 'd' } }
  assert.match(alertPhrases(short, 'pt-BR')?.message ?? '', /licença para chamadas, GPS, vídeos na ativação/)
  const used = { code: 'licenses_used_up', values: { service: 'sms', used: '2', limit: '2' } }
  assert.match(alertPhrases(used, 'en-GB')?.message ?? '', /2 of 2 licences of SMS\./)
  assert.equal(alertPhrases({ code: 'toString', values: {} }, 'en-GB'), undefined)
})

test('free text may have line breaks, which are normalised, and names may not', () => {
  const lines = prose(3, 20)
  assert.equal(lines.parse('one\r\ntwo\rthree\tx'), 'one\ntwo\nthree\tx')
  assert.equal(lines.safeParse('a\r\n').success, false, 'counted as it is kept')
  for (const wrong of ['nul\0', 'bell\u0007', 'lone \ud800'])
    assert.equal(lines.safeParse(wrong).success, false)
  assert.equal(text(1, 9).safeParse('a\nb').success, false)
})

test('one mistake gives one fault, also in an empty condition', () => {
  const codes = (schema: z.ZodMiniType, value: unknown) =>
    toFaults(schema.safeParse(value, PARSE_OPTIONS).error?.issues ?? []).map(({ code }) => code)
  assert.deepEqual(codes(CidrRange, '1.2.3.4'), ['cidr'])
  assert.deepEqual(codes(CidrRange, '1.2.3.4/99'), ['cidr'])
  assert.deepEqual(codes(DateParameter, '2026-13-20'), ['date_parameter'])
  assert.deepEqual(codes(DateParameter, '2026-02-30'), ['date_parameter'])
  assert.deepEqual(codes(Condition, {}), ['no_patterns'])
})

test('rejects an empty default value of a tag', () => {
  const tag = { tag_values: null, is_required: false }
  assert.ok(TagInput.safeParse({ ...tag, default_value: null }).success)
  assert.ok(TagInput.safeParse({ ...tag, default_value: 'a' }).success)
  assert.ok(!TagInput.safeParse({ ...tag, default_value: '' }).success)
})

test('a malformed ULID gives a fault that describes the format', () => {
  for (const wrong of [
    '',
    '01JD5X3V8Q2M4N6P7R9S0T1V2',
    '01jd5x3v8q2m4n6p7r9s0t1v2w',
    '81JD5X3V8Q2M4N6P7R9S0T1V2W',
  ]) {
    const [fault] = toFaults(Ulid.safeParse(wrong, PARSE_OPTIONS).error?.issues ?? [])
    assert.deepEqual([fault?.code, fault?.message], ['ulid', FAULTS.ulid['en-GB']], wrong)
  }
})

test('each log entry has a sentence and each action a name, in both languages', () => {
  const stated = new Set([
    'session:sign_in',
    'session:refresh',
    'inactivity',
    'retention:delete',
    'retention:destroy',
    'operator:bootstrap',
    'operator:first_administrator',
    'operator:lift_two_people',
    'operator:resolve_sealed_log',
    'identity:change',
    'integrity:check',
    ...Object.keys(LOG_SENTENCES).filter((name) => /^retention:(delete|destroy)_/.test(name)),
    'transfers:deliver',
    'migrations:erase',
    'transfers:reconcile',
    'payloads:preload',
  ])
  for (const [, endpoint] of rows) {
    const powers: readonly string[] = endpoint.powers ?? []
    const actions = getActions(endpoint)
    for (const action of actions.filter((each) => !powers.includes(each))) stated.add(action)
    if (actions.length === 0) stated.add(loggedName(endpoint))
    for (const action of actions) {
      const [noun = ''] = action.split(':')
      for (const locale of LOCALES) {
        assert.ok((permissionWords(action)?.[locale] ?? '').length > 3, `${action} has no words in ${locale}`)
        assert.ok((nounWords(noun)?.[locale] ?? '').length > 3, `${noun} has no word in ${locale}`)
      }
    }
  }
  for (const name of stated)
    for (const locale of LOCALES)
      assert.match(logSentence(name)?.[locale] ?? '', /^\{who\} ./, `${name} has no sentence in ${locale}`)
  assert.deepEqual(
    Object.keys(LOG_SENTENCES).filter((name) => !stated.has(name)),
    [],
    'sentences of nothing',
  )
  for (const { with: one, without } of EXPECTATIONS)
    for (const action of [one, without]) assert.ok(permissionWords(action), action)
})

test('list, suggestion, count and profile reads are logged as background reads', () => {
  const {
    listPayloads,
    suggestPayloads,
    countPayloads,
    readContacts,
    readProfile,
    readDashboard,
    listActivities,
  } = api
  for (const call of [
    listPayloads,
    suggestPayloads,
    countPayloads,
    readContacts,
    readProfile,
    readDashboard,
    listActivities,
  ])
    for (const action of getActions(call)) assert.ok(logSentence(action)?.is_background, action)
})

test('every stored record has its client, and updated_by unless it never changes', () => {
  const found = rows.flatMap(([name, { response }]) =>
    response
      ? recordsIn(z.toJSONSchema(response, { io: 'output' })).map((fields) => [name, fields] as const)
      : [],
  )
  assert.ok(found.length > 20)
  for (const [name, fields] of found) assert.ok(fields.includes('client'), name)
  const stored = new Set(found.map(([name]) => name))
  const without = rows.filter(
    ([name, { method, response }]) =>
      method === 'GET' &&
      !stored.has(name) &&
      response &&
      hasClient(z.toJSONSchema(response, { io: 'output' })),
  )
  assert.deepEqual(without.map(([name]) => name).toSorted(), WITHOUT_CHANGES)
})

/** Their responses are immutable, name the actor themselves, are derived, or belong to the installation. */
const WITHOUT_CHANGES = [
  'listCaptureGaps',
  'listCaptureGapsOfUser',
  'listCertificates',
  'listClients',
  'listDemoPeople',
  'listDestructionItems',
  'listDestructions',
  'listDeviceLogs',
  'listGpsOfDevice',
  'listGpsOfUser',
  'listLastPositions',
  'listLogsOfDevice',
  'listLogsOfUser',
  'listMetrics',
  'listPeople',
  'listTelemetry',
  'listTelemetryOfClient',
  'listTelemetryOfClients',
  'listTelemetryOfDevice',
  'listTransferReconciliations',
  'readAccountMetadata',
  'readCertificateKeys',
  'readDestruction',
  'readDeviceKey',
  'readPerson',
  'readProfile',
  'readTelemetry',
]

/** Whether a row of a list, or the record that is read, names its client. */
function hasClient(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as { properties?: { data?: object }; items?: object; anyOf?: object[] }
  return 'client' in properties || [properties.data, items, ...anyOf].some(hasClient)
}

/** The fields of every object with an `updated_by`, anywhere in a schema. */
function recordsIn(schema: unknown): string[][] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: object }
  const own = 'updated_by' in properties ? [Object.keys(properties)] : []
  return [...own, ...Object.values(schema).flatMap(recordsIn)]
}

test('a wrong type gives one fault and no length fault', () => {
  const schema = z.object({ states: uniqueList(z.enum(['a', 'b']), 1, 2) })
  const parsed = schema.safeParse({ states: 'activated' }, PARSE_OPTIONS)
  assert.deepEqual(
    toFaults(parsed.error?.issues ?? []).map(({ path, code }) => [path, code]),
    [['states', 'wrong_type']],
  )
})

/** The calls of section 7 of the specification, by the portal that serves them. Custodia has further calls. */
const CALLS_OF_THE_SPEC = {
  admin: `GET,PUT account/defaults
GET account/apps
GET,POST,PUT,DELETE account/apps/{}
GET account/metadata
GET activities
GET device_activities
GET commands
GET dashboard
GET licenses
GET telemetry
GET tags
GET users
GET devices
GET groups
GET roles
GET supportaccess
GET profile
GET,PUT alerts
PUT alerts/dismiss
GET alerts/{}
GET alerts/summary
GET,DELETE devices/{}
GET,POST devices/{}/commands
GET devices/{}/history
GET devices/{}/telemetry
GET,PUT,DELETE groups/{}
GET exchange
GET url
GET metrics/{}
GET,PUT,DELETE roles/{}
GET,PUT supportaccess/{}
GET,PUT,DELETE tags/{}
GET,POST,PUT,DELETE users/{}
GET users/{}/devices`,
  client: `GET,PUT account/migration
GET,PUT account/retention
GET account/legal_holds
PUT,DELETE account/legal_holds/{}/{}
GET comments
GET data
GET device_logs
GET gps
GET migrations
GET payloads
POST receipts
GET transfers
GET transfer_configs
GET devices/{}/logs
GET devices/{}/payloads
GET devices/{}/gps
GET devices/{}/sms/{}
GET payloads/{}
GET payloads/{}/audit
GET payloads/{}/data
GET,POST payloads/{}/comments
PUT,DELETE payloads/{}/comments/{}
POST payloads/{}/restore
GET,POST,PUT,DELETE transfer_configs/{}
POST transfer_configs/{}/run
GET transfers/{}
POST transfers/{}/run
GET users/{}/logs
GET users/{}/payloads
GET users/{}/gps`,
  internal: `GET,POST alerts
PUT clients/{}/alerts
PUT clients/{}/alerts/dismiss
GET clients/{}/alerts/{}
GET clients
PUT clients/{}/licenses
GET clients/{}/telemetry
GET,POST clients/{}/supportaccess
GET clients/{}/roles
GET,DELETE clients/{}/supportaccess/{}
GET countries
GET exchange
GET licenses
GET staff
GET statistics
GET supportaccess/{}
GET telemetry
POST verify`,
} as const

test('every call of the specification exists at its path', () => {
  const places = (endpoints: Iterable<Pick<Endpoint, 'method' | 'portal' | 'path'>>) =>
    new Set(
      [...endpoints].map(
        ({ method, portal, path }) => `${portal}: ${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
      ),
    )
  const had = places(rows.map(([, endpoint]) => endpoint))
  const missing = Object.entries(CALLS_OF_THE_SPEC).flatMap(([portal, calls]) =>
    calls.split('\n').flatMap((line) => {
      const [methods = '', path = ''] = line.split(' ')
      return methods
        .split(',')
        .map((method) => `${portal}: ${method} ${path}`)
        .filter((place) => !had.has(place))
    }),
  )
  assert.deepEqual(missing, [])
})

test('an action of a call of groups concerns groups, also where an account-wide call has it as a power', () => {
  const powers = rows.flatMap(([, { concerns, powers: own = [] }]) => (concerns === 'account' ? own : []))
  assert.ok(powers.includes('users:update'), 'a migration saves device users')
  assert.equal(ACCOUNT_ACTIONS.has('users:update'), false)
})

test('verifiers know each kind of signed document that a call returns', () => {
  const kinds = rows.flatMap(([, { response }]) => {
    const shape = (response as z.ZodMiniObject | undefined)?.def?.shape
    if (shape?.['signature'] !== SignatureOfFile) return []
    return Object.entries(shape).flatMap(([member, schema]) => {
      const { format } = (schema as z.ZodMiniObject).def.shape ?? {}
      return format ? [`${(format as z.ZodMiniLiteral<string>).def.values[0]} ${member}`] : []
    })
  })
  const known = Object.entries(SIGNED_FILES).map(([format, { member }]) => `${format} ${member}`)
  assert.deepEqual([...new Set(kinds)].toSorted(), known.toSorted())
})
