import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, mock, test } from 'node:test'
import { sealUlid } from '@custodia/envelope'
import type { FastifyRequest } from 'fastify'
import { ulid } from 'ulid'
import type { Problem } from '../http/problem.ts'
import { ingestFixture, type IngestFixture } from '../testing/ingest-fixture.ts'
import { signingPhone } from '../testing/signing-phone.ts'
import { deviceAuthentication, purgeDeviceTokens } from './access-token.ts'

const fixture = await ingestFixture()
after(() => fixture.close())

const unique = () => randomBytes(6).toString('hex')
type Says = Parameters<IngestFixture['authenticate']>[1]
const state = async (says: Says) => {
  const answer = await fixture.authenticate('acme', says)
  assert.equal(answer.statusCode, 200, answer.body)
  const { install_state, device_reference } = answer.json() as Record<string, string>
  return [install_state, device_reference] as const
}

test('authentication reports a new install, no change, a factory reset or a missing installation id', async () => {
  const serial_number = unique()
  const [first, reference] = await state({ serial_number, installation_id: 'a' })
  assert.equal(first, 'NewInstall')
  assert.deepEqual(await state({ serial_number, installation_id: 'a' }), ['NoChange', reference])
  assert.deepEqual(await state({ serial_number, installation_id: 'b' }), ['FactoryReset', reference])
  assert.deepEqual(await state({ serial_number, installation_id: null }), ['NoInstallationId', reference])
  assert.deepEqual(await state({ serial_number, installation_id: 'b' }), ['NoChange', reference])
})

test('placeholder serial numbers and IMEIs are those of no device', async () => {
  for (const serial_number of ['unknown', 'unknown', 'UNKNOWN', '0000000', ' ']) {
    const { device_reference } = await signingPhone(fixture, {
      serial_number,
      imeis: ['0'.repeat(15)],
    }).enrol('nina')
    const [device] = await fixture.sql<{ waiting_reason: string | null }>(
      'select waiting_reason from devices where device_reference = $1',
      [device_reference],
    )
    assert.equal(device?.waiting_reason, null)
  }
})

test('a backup restored to another device creates a new device', async () => {
  const installation_id = unique()
  const [, first] = await state({ serial_number: unique(), installation_id })
  const [install, second] = await state({ serial_number: unique(), installation_id })
  assert.equal(install, 'NewInstall')
  assert.notEqual(first, second)
})

test('a proof authenticates once, also when it is sent several times at once', async () => {
  const { account_key } = fixture.accounts.acme
  const ulid_encrypted = sealUlid(account_key, 'acme', ulid())
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      fixture.authenticate('acme', { ulid_encrypted, serial_number: 'replayed' }),
    ),
  )
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).toSorted(), [200, 401, 401, 401, 401])
})

test('simultaneous authentications of one device create one device', async () => {
  const serial_number = unique()
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => fixture.authenticate('acme', { serial_number, installation_id: 'x' })),
  )
  assert.equal(new Set(answers.map((answer) => answer.json().device_reference)).size, 1)
})

test('every authentication failure returns the same answer', async () => {
  const now = fixture.ctx.now()
  const { account_key } = fixture.accounts.acme
  const refused = [
    await fixture.authenticate('acme', {}, now - 310),
    await fixture.authenticate('acme', {}, now + 310),
    await fixture.authenticate('acme', { ulid_encrypted: sealUlid(randomBytes(32), 'acme', ulid()) }),
    await fixture.authenticate('acme', { ulid_encrypted: sealUlid(account_key, 'globex', ulid()) }),
    await fixture.authenticate('globex', { ulid_encrypted: sealUlid(account_key, 'globex', ulid()) }),
    await fixture.authenticate('acme', { account_reference: 'unknown' }),
    await fixture.authenticate('acme', { ulid_encrypted: 'AAAA' }),
  ].map((answer) => {
    const { request_id: _, ...body } = answer.json() as Record<string, unknown>
    return { status: answer.statusCode, body }
  })
  for (const answer of refused) assert.deepEqual(answer, refused[0])
  assert.equal(refused[0]?.body.code, 'device_authentication_required')
  assert.equal((await fixture.authenticate('acme', {}, now - 295)).statusCode, 200)
  assert.equal((await fixture.authenticate('acme', {}, now + 295)).statusCode, 200)
})

test('the log records the reason of a refusal without the values that the device sent', async () => {
  const { log, now } = fixture.ctx
  const warn = mock.method(log, 'warn')
  await fixture.authenticate('acme', { serial_number: 'secret-7' }, now() - 310)
  await fixture.authenticate('acme', { ulid_encrypted: 'AAAA' })
  await fixture.authenticate('acme', { account_reference: 'unknown' })
  warn.mock.restore()
  const lines = warn.mock.calls.map((call) => call.arguments[0] as unknown as Record<string, unknown>)
  assert.deepEqual(
    lines.map(({ client, reason }) => [client, reason]),
    [
      ['acme', 'proof is not of this time'],
      ['acme', 'proof does not open'],
    ],
  )
  assert.ok(!JSON.stringify(lines).includes('secret-7'))
})

test('an email assigns a device to its user, and an unknown email only raises an alert', async () => {
  const serial_number = unique()
  const answer = await fixture.authenticate('acme', { serial_number, email: 'NINA@acme.example' })
  assert.deepEqual(answer.json().enabled_services, ['calls', 'sms'])
  // An authentication without an email keeps the holder.
  await fixture.authenticate('acme', { serial_number })
  fixture.advance(10)
  await fixture.authenticate('acme', { serial_number, email: 'stranger@acme.example' })
  fixture.advance(10)
  await fixture.authenticate('acme', { serial_number, email: 'nina@acme.example' })
  const history = await fixture.sql<{ who: string | null; group_reference: string; open: boolean }>(
    `select u.device_user_reference as who, g.group_reference, h.to_at is null as open
     from device_history h join devices d using (device_id) join groups g on g.group_id = h.group_id
     left join device_users u on u.device_user_id = h.device_user_id where d.serial_number = $1 order by h.from_at`,
    [serial_number],
  )
  assert.deepEqual(history, [{ who: 'nina', group_reference: 'North', open: true }])
  const alerts = await fixture.sql(
    `select alert_severity from alerts where alert_key like 'unknown email %' and alert_scope = 'sec'`,
  )
  assert.deepEqual(alerts, [{ alert_severity: 'Medium' }])
})

test('authentication reactivates a device, stores its numbers and writes an audit entry', async () => {
  const serial_number = unique()
  const [, device_reference] = await state({ serial_number, phone_numbers: ['+441', '+442'] })
  await fixture.sql(
    'update devices set is_deactivated = true, deactivation_date = 1, is_legacy = true where serial_number = $1',
    [serial_number],
  )
  fixture.advance(100)
  await state({ serial_number, phone_numbers: ['+443', '+441'] })
  const [row] = await fixture.sql<Record<string, unknown>>(
    'select is_deactivated, deactivation_date, is_legacy, last_seen from devices where serial_number = $1',
    [serial_number],
  )
  assert.deepEqual([row?.is_deactivated, row?.deactivation_date, row?.is_legacy], [false, null, false])
  const numbers = await fixture.sql<Record<string, number | string | null>>(
    `select phone_number, slot_index, last_reported - from_at as said_for, to_at - from_at as had_for, first_verified
     from device_numbers join devices using (client_id, device_id) where serial_number = $1 order by claim_id`,
    [serial_number],
  )
  assert.deepEqual(
    numbers.map((each) => Object.values(each)),
    [
      ['+441', 1, 100, null, null],
      ['+442', 1, 0, 100, null],
      ['+443', 0, 0, null, null],
    ],
  )
  const entries = await fixture.sql<{ parameters: string; is_of_its_group: boolean }>(
    `select a.parameters, a.group_id = d.group_id as is_of_its_group
     from device_activities a join devices d using (client_id, device_reference)
     where device_reference = $1 and action = 'POST authenticate'`,
    [device_reference],
  )
  assert.deepEqual(
    entries.map((entry) => entry.is_of_its_group),
    [true, true],
  )
  const sealed = (JSON.parse(entries[0]?.parameters ?? '') as { body: { ulid_encrypted: string } }).body
  assert.equal(sealed.ulid_encrypted, '…')
})

test('tokens are stored as digests, and expired tokens and proofs are deleted', async () => {
  const phone = await fixture.phone('acme')
  const stored = await fixture.sql<{ token_hash: Buffer }>('select token_hash from device_tokens')
  for (const { token_hash } of stored) {
    assert.equal(token_hash.length, 32)
    assert.ok(!Buffer.from(phone.access_token, 'base64url').includes(token_hash))
  }
  fixture.advance(86_401)
  await purgeDeviceTokens.run(fixture.ctx, {}, new AbortController().signal)
  assert.deepEqual(await fixture.sql('select from device_tokens'), [])
  assert.deepEqual(await fixture.sql('select from device_ulids'), [])
})

test('a device receives the key of its own client and the terms in both languages', async () => {
  const [mine, theirs] = [await fixture.phone('acme'), await fixture.phone('globex')]
  const key = await mine.key()
  assert.equal(key.client, 'acme')
  assert.match(key.kek, /^-----BEGIN PUBLIC KEY-----/)
  assert.notEqual(key.key_id, (await theirs.key()).key_id)
  const policy = (await fixture.app.inject({ url: '/device/v1/policy', headers: mine.headers })).json()
  assert.match(policy.termsAndConditions, /records[\s\S]+grava/)
  assert.equal(new Date(policy.valid_from * 1000).toISOString(), '2026-11-01T00:00:00.000Z')
})

test('a call updates the last-seen time at most once a minute', async () => {
  const serial_number = unique()
  const phone = await fixture.phone('acme', { serial_number })
  const seen = async () =>
    (
      await fixture.sql<{ last_seen: string }>('select last_seen from devices where serial_number = $1', [
        serial_number,
      ])
    )[0]?.last_seen
  const at = await seen()
  fixture.advance(30)
  await phone.key()
  assert.equal(await seen(), at)
  fixture.advance(31)
  await phone.key()
  assert.notEqual(await seen(), at)
})

test('simultaneous calls authenticate their own devices, and a refused call affects no other', async () => {
  const phones = await Promise.all([0, 1, 2].map(() => fixture.phone('acme')))
  const [first, second, gone] = phones
  const other = await fixture.phone('globex')
  await fixture.sql('update devices set is_deactivated = true where device_reference = $1', [
    gone?.device_reference,
  ])
  const authenticate = deviceAuthentication(fixture.ctx)
  const token = Buffer.alloc(36, 1)
  token.writeUInt32BE(fixture.accounts.acme.client_id)
  const unknown = { headers: { authorization: `Bearer ${token.toString('base64url')}` } }
  // The first call begins the look-up; the others arrive during it.
  const ends = await Promise.allSettled(
    [first, second, gone, unknown, first, other, second].map((call) =>
      authenticate({ headers: call?.headers } as FastifyRequest, fixture.ctx.now()),
    ),
  )
  assert.deepEqual(
    ends.map((end) =>
      end.status === 'fulfilled' ? end.value.device_reference : (end.reason as Problem).code,
    ),
    [
      first?.device_reference,
      second?.device_reference,
      'device_authentication_required',
      'device_authentication_required',
      first?.device_reference,
      other.device_reference,
      second?.device_reference,
    ],
  )
})
