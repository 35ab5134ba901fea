import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, beforeEach, describe, it } from 'node:test'
import type { AuthenticateRequest } from '@custodia/contract'
import { ingestFixture } from '../testing/ingest-fixture.ts'
import { addPerson, makeEnrolment, type SigningPhone, signingPhone } from '../testing/signing-phone.ts'

const fixture = await ingestFixture()
after(() => fixture.close())
for (const person of ['vera', 'mallory']) await addPerson(fixture, person, 1)
beforeEach(() => fixture.sql('delete from alerts'))

const unique = () => randomBytes(6).toString('hex')
const phone = (says: Partial<AuthenticateRequest> = {}) =>
  signingPhone(fixture, { serial_number: unique(), ...says })

const getDevice = async (device_reference: string) => {
  const [row] = await fixture.sql<
    Record<'who' | 'waiting_reason' | 'asks', string | null> & { is_deactivated: boolean }
  >(
    `select u.device_user_reference as who, d.waiting_reason, r.device_user_reference as asks, d.is_deactivated from devices d
     left join device_users u using (client_id, device_user_id) left join device_users r on r.device_user_id = d.requested_user_id
     where device_reference = $1`,
    [device_reference],
  )
  return row
}
const getUses = async (enrolment_reference: string) => {
  const [row] = await fixture.sql<{ uses: number; came: number }>(
    `select uses, (select count(*)::int from enrolment_uses u where u.enrolment_id = e.enrolment_id) as came
     from enrolments e where enrolment_reference = $1`,
    [enrolment_reference],
  )
  assert.equal(row?.uses, row?.came)
  return row?.uses
}
const alerts = async () =>
  (
    await fixture.sql<{ alert_key: string; alert_severity: string; alert_scope: string }>(
      'select alert_key, alert_severity, alert_scope from alerts',
    )
  ).map(({ alert_key, alert_severity, alert_scope }) => `${alert_severity} ${alert_scope} ${alert_key}`)

/** Asserts the one refusal that every invalid enrolment gets. */
async function isRefused(who: SigningPhone, says: Partial<AuthenticateRequest>): Promise<void> {
  const answer = await who.authenticate(says)
  const { code, message, errors, path } = answer.json() as Record<string, unknown>
  assert.deepEqual(
    [answer.statusCode, code, message, errors, path],
    [
      403,
      'enrolment_refused',
      'This enrolment is not valid, or no longer valid. Ask for a new one.',
      undefined,
      undefined,
    ],
  )
}

describe('an enrolment of a device user', () => {
  it('assigns a device to its user at once, beyond the expected count, whatever its email', async () => {
    for (const email of [undefined, 'mallory@acme.example']) {
      const { enrolment } = await makeEnrolment(fixture, 'vera')
      const answer = await phone().authenticate({ enrolment, ...(email ? { email } : {}) })
      assert.equal(answer.statusCode, 200, answer.body)
      const { device_reference, account_key, enabled_services } = answer.json() as Record<string, string>
      assert.equal((await getDevice(device_reference ?? ''))?.who, 'vera')
      assert.equal(account_key, undefined, 'no device receives the account key')
      assert.deepEqual(enabled_services, ['sms'])
    }
    assert.deepEqual(await alerts(), [])
  })

  it('admits exactly one of several simultaneous devices', async () => {
    for (let round = 0; round < 2; round++) {
      const { enrolment, enrolment_reference } = await makeEnrolment(fixture, 'vera')
      const answers = await Promise.all(
        [phone(), phone(), phone()].map((each) => each.authenticate({ enrolment })),
      )
      assert.deepEqual(answers.map(({ statusCode }) => statusCode).toSorted(), [200, 403, 403])
      assert.equal(await getUses(enrolment_reference), 1)
    }
  })

  it('admits the same device again, but no device with a copy of the enrolment', async () => {
    const { enrolment, enrolment_reference } = await makeEnrolment(fixture, 'vera')
    const mine = phone()
    const { device_reference } = await mine.open({ enrolment })
    assert.equal((await mine.open({ enrolment })).device_reference, device_reference)
    assert.equal(await getUses(enrolment_reference), 1)
    // Also with the other device's hardware numbers, and as a replay.
    await isRefused(phone(), { enrolment })
    await isRefused(signingPhone(fixture, mine.hardware), { enrolment })
    const stated = mine.body({ enrolment })
    assert.deepEqual(
      (await Promise.all([stated, stated].map(mine.say))).map(({ statusCode }) => statusCode).toSorted(),
      [200, 401],
    )
    assert.deepEqual(await alerts(), [`High sec enrolment used ${enrolment_reference}`])
    // The device may use its enrolment again after the expiry.
    await fixture.sql('update enrolments set expires_at = $2 where enrolment_reference = $1', [
      enrolment_reference,
      fixture.ctx.now(),
    ])
    assert.equal((await mine.open({ enrolment })).device_reference, device_reference)
    assert.equal((await getDevice(device_reference))?.who, 'vera')
    // A used enrolment no longer names a user: after a reassignment the new user keeps the device.
    await fixture.sql(
      `update devices set device_user_id = (select device_user_id from device_users where device_user_reference = 'mallory')
       where device_reference = $1`,
      [device_reference],
    )
    await mine.open({ enrolment })
    const given = await getDevice(device_reference)
    assert.deepEqual([given?.who, given?.waiting_reason], ['mallory', null])
  })

  it('ends on expiry, revocation and offboarding, and an alert reports later attempts', async () => {
    const cases: [string, string, (reference: string) => Promise<unknown>][] = [
      [
        'Medium',
        'expired',
        (r) =>
          fixture.sql('update enrolments set expires_at = $2 where enrolment_reference = $1', [
            r,
            fixture.ctx.now(),
          ]),
      ],
      [
        'High',
        'revoked',
        (r) =>
          fixture.sql(
            `update enrolments set revoked_at = 1, revoked_by = 'test' where enrolment_reference = $1`,
            [r],
          ),
      ],
      [
        'High',
        'revoked',
        () => fixture.sql(`update device_users set is_active = false where device_user_reference = 'vera'`),
      ],
      [
        'High',
        'revoked',
        () =>
          fixture.sql(
            `update device_users set is_active = true, deleted_at = 1 where device_user_reference = 'vera'`,
          ),
      ],
    ]
    for (const [severity, over, end] of cases) {
      await fixture.sql('delete from alerts')
      const { enrolment, enrolment_reference } = await makeEnrolment(fixture, 'vera')
      await end(enrolment_reference)
      for (let i = 0; i < 3; i++) await isRefused(phone(), { enrolment })
      assert.deepEqual(await alerts(), [`${severity} sec enrolment ${over} ${enrolment_reference}`])
      assert.equal(await getUses(enrolment_reference), 0)
    }
    await fixture.sql('update device_users set deleted_at = null')
  })

  it('is valid up to its expiry by the server’s clock', async () => {
    const { enrolment } = await makeEnrolment(fixture, 'vera', { expires_at: fixture.ctx.now() + 10 })
    fixture.advance(9)
    await phone().open({ enrolment })
    const next = await makeEnrolment(fixture, 'vera', { expires_at: fixture.ctx.now() + 10 })
    fixture.advance(10)
    await isRefused(phone(), { enrolment: next.enrolment })
  })

  it('is refused alike when unknown, altered or of another account', async () => {
    const { enrolment, enrolment_reference } = await makeEnrolment(fixture, 'vera')
    const other = await makeEnrolment(fixture, 'vera')
    const flip = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
    const strangers = [
      flip(enrolment, 30),
      `${enrolment_reference}.${other.enrolment.split('.')[1]}`,
      `01ARZ3NDEKTSV4RRFFQ69G5FAV.${enrolment.split('.')[1]}`,
    ]
    for (const each of strangers) await isRefused(phone(), { enrolment: each })
    assert.deepEqual(await alerts(), [], 'an attempt without the secret raises no alert')
    assert.equal(await getUses(enrolment_reference), 0)
    // Sealed with a wrong secret, or not sealed.
    const sealed = phone()
    const wrong = { ...sealed.body({ enrolment: other.enrolment }), enrolment }
    assert.equal((await sealed.say(wrong)).statusCode, 401)
    const { device_key: _, ...keyless } = phone().body({ enrolment })
    const refused = await fixture.app.inject({
      method: 'POST',
      url: '/device/v1/authenticate',
      payload: { ...keyless, model: 'Pretend 1', os_version: '15', app_version: '1', phone_numbers: [] },
    })
    assert.deepEqual([refused.statusCode, refused.json().path], [400, 'device_key'])
    const malformed = await phone().say({ ...phone().body(), enrolment: `${enrolment}A` })
    assert.equal(malformed.statusCode, 400)
    assert.equal(await getUses(enrolment_reference), 0)
    // Neither another account nor an unknown account accepts it.
    for (const account of ['globex', 'unknown']) {
      const stray = signingPhone(fixture, { serial_number: unique() }, undefined, account)
      await isRefused(stray, { enrolment })
    }
    assert.equal(await getUses(enrolment_reference), 0)
  })

  it('does not unblock a blocked device and stays unused', async () => {
    const lost = phone()
    const { device_reference } = await lost.enrol('mallory')
    await fixture.sql(
      'update devices set blocked_at = 1, is_deactivated = true where device_reference = $1',
      [device_reference],
    )
    const { enrolment, enrolment_reference } = await makeEnrolment(fixture, 'mallory')
    for (const each of [lost, signingPhone(fixture, lost.hardware)])
      assert.equal((await each.authenticate({ enrolment })).statusCode, 401)
    assert.deepEqual(await alerts(), [`High sec blocked ${device_reference}`])
    assert.equal(await getUses(enrolment_reference), 0)
    await fixture.sql('update devices set blocked_at = null where device_reference = $1', [device_reference])
  })

  it('makes a device of another holder wait for confirmation', async () => {
    const vera = phone()
    const { device_reference } = await vera.enrol('vera')
    // A device with vera's hardware numbers and mallory's enrolment is a separate device and waits.
    const { enrolment } = await makeEnrolment(fixture, 'mallory')
    const thief = await signingPhone(fixture, vera.hardware).open({ enrolment })
    assert.notEqual(thief.device_reference, device_reference)
    const device = await getDevice(thief.device_reference)
    assert.deepEqual([device?.who, device?.waiting_reason, device?.asks], [null, 'other_key', 'mallory'])
    const before = await getDevice(device_reference)
    assert.deepEqual([before?.who, before?.waiting_reason, before?.is_deactivated], ['vera', null, false])
    // The device with the original key requests another holder.
    await vera.enrol('mallory')
    const handed = await getDevice(device_reference)
    assert.deepEqual([handed?.who, handed?.waiting_reason, handed?.asks], [null, 'holder', 'mallory'])
    // A waiting device keeps waiting.
    await vera.enrol('vera')
    const still = await getDevice(device_reference)
    assert.deepEqual([still?.who, still?.waiting_reason, still?.asks], [null, 'holder', 'vera'])
  })

  it('readmits a reset device with a new key and deactivates its former record', async () => {
    const lastWeek = phone()
    const former = await lastWeek.enrol('vera')
    const reset = signingPhone(fixture, lastWeek.hardware)
    const now = await reset.enrol('vera')
    assert.notEqual(now.device_reference, former.device_reference)
    assert.deepEqual(
      [
        (await getDevice(now.device_reference))?.who,
        (await getDevice(former.device_reference))?.is_deactivated,
      ],
      ['vera', true],
    )
    assert.equal(
      (await fixture.app.inject({ url: '/device/v1/key', headers: former.headers })).statusCode,
      401,
    )
    assert.equal((await reset.open()).device_reference, now.device_reference)
  })
})

describe('an enrolment of the account', () => {
  it('makes devices wait for confirmation, whatever they claim', async () => {
    await fixture.sql('update devices set is_deactivated = true')
    for (const [email, asks] of [
      ['vera@acme.example', 'vera'],
      [null, null],
    ]) {
      const { enrolment } = await makeEnrolment(fixture, null)
      const { device_reference } = await phone().open({ enrolment, ...(email ? { email } : {}) })
      const device = await getDevice(device_reference)
      assert.deepEqual([device?.who, device?.waiting_reason, device?.asks], [null, 'unconfirmed', asks])
    }
    // One alert collects the devices of a rollout.
    assert.deepEqual(await alerts(), ['High sec waits unconfirmed'])
  })

  it('admits as many devices as it allows, which belong to the users that they claim by a matching email', async () => {
    const matching = { matches_email: true }
    const { enrolment, enrolment_reference } = await makeEnrolment(fixture, null, {
      max_uses: 2,
      ...matching,
    })
    await fixture.sql('update devices set is_deactivated = true')
    const first = phone()
    const claimed = await first.open({ enrolment, email: 'vera@acme.example' })
    assert.equal((await getDevice(claimed.device_reference))?.who, 'vera')
    const beyond = await phone().open({ enrolment, email: 'vera@acme.example' })
    const waiting = await getDevice(beyond.device_reference)
    assert.deepEqual([waiting?.who, waiting?.waiting_reason], [null, 'beyond_expected'])
    assert.equal(await getUses(enrolment_reference), 2)
    await first.open({ enrolment })
    await isRefused(phone(), { enrolment })
    assert.equal(await getUses(enrolment_reference), 2)
    const unlimited = await makeEnrolment(fixture, null)
    const came = await Promise.all(
      [1, 2, 3, 4].map(() => phone().authenticate({ enrolment: unlimited.enrolment })),
    )
    assert.ok(came.every(({ statusCode }) => statusCode === 200))
    assert.equal(await getUses(unlimited.enrolment_reference), 4)
  })
})

describe('the stored enrolment', () => {
  it('contains the secret neither in its rows nor in the audit log', async () => {
    const { enrolment } = await makeEnrolment(fixture, 'vera')
    await phone().open({ enrolment })
    const [reference = '', secret = ''] = enrolment.split('.')
    const rows = await fixture.sql<{ text: string }>(
      `select row_to_json(a)::text as text from device_activities a union all select row_to_json(e)::text from enrolments e
       union all select row_to_json(d)::text from devices d`,
    )
    assert.ok(rows.some(({ text }) => text.includes(reference)))
    for (const { text } of rows)
      for (const result of [secret, Buffer.from(secret, 'base64url').toString('hex')])
        assert.ok(!text.includes(result), text)
  })
})
