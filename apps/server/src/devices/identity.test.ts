import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { RESERVED_GROUP } from '@custodia/contract'
import { newDeviceKey, sealUlid } from '@custodia/envelope'
import { ulid } from 'ulid'
import { type AccessFixture, accessFixture } from '../testing/access-fixture.ts'
import {
  type IngestFixture,
  type TestPhone,
  ingestFixture,
  sealRecording,
} from '../testing/ingest-fixture.ts'
import { demoPhone, getMessage, getRecording } from '../testing/phones.ts'
import { addPerson, signingPhone } from '../testing/signing-phone.ts'

/** An attacker with the account key: no test may change the victim's device. */

let fixture: IngestFixture
before(async () => {
  fixture = await ingestFixture()
  await addPerson(fixture, 'vera', 1)
  await addPerson(fixture, 'mallory', 1)
  await addPerson(fixture, 'paul', 0)
})
after(() => fixture.close())

type Says = Parameters<typeof signingPhone>[1]
const unique = () => randomBytes(6).toString('hex')
const getPhone = (hardware: Says, pair?: Parameters<typeof signingPhone>[2]) =>
  signingPhone(fixture, hardware, pair)

const getDevice = async (device_reference: string) => {
  const [row] = await fixture.sql<
    Record<'who' | 'place' | 'waiting_reason' | 'asks' | 'serial_number', string | null>
  >(
    `select u.device_user_reference as who, g.group_reference as place, d.waiting_reason, r.device_user_reference as asks, d.serial_number
     from devices d join groups g using (client_id, group_id) left join device_users u using (client_id, device_user_id)
     left join device_users r on r.device_user_id = d.requested_user_id where device_reference = $1`,
    [device_reference],
  )
  return row
}
const whereIs = async (payload_reference: string) => {
  const [row] = await fixture.sql<Record<'who' | 'place', string | null>>(
    `select u.device_user_reference as who, g.group_reference as place from payloads p join groups g using (client_id, group_id)
     left join device_users u on u.device_user_id = p.device_user_id where payload_reference = $1`,
    [payload_reference],
  )
  return row
}
const getAlerts = async () =>
  (
    await fixture.sql<{ alert_key: string; alert_severity: string; alert_scope: string }>(
      'delete from alerts returning alert_key, alert_severity, alert_scope',
    )
  ).map(({ alert_key, alert_severity, alert_scope }) => `${alert_severity} ${alert_scope} ${alert_key}`)

const NORTH = { who: 'vera', place: 'North' }

describe('an attacker with the account key', () => {
  let hardware: { serial_number: string; imeis: string[]; installation_id: string }
  let victim: ReturnType<typeof getPhone>
  let reference: string
  beforeEach(async () => {
    hardware = {
      serial_number: unique(),
      imeis: [`35${Math.floor(Math.random() * 9e12) + 1e12}`],
      installation_id: unique(),
    }
    victim = getPhone(hardware)
    // Each test uses vera's only active device.
    await fixture.sql(`update devices set is_deactivated = true`)
    const opened = await victim.enrol('vera')
    reference = opened.device_reference
    assert.deepEqual((await getDevice(reference))?.who, 'vera')
    await getAlerts()
  })

  /** The next recordings belong to the victim. */
  const isUnharmed = async () => {
    fixture.advance(10)
    const phone = await victim.open()
    assert.equal(phone.device_reference, reference)
    const { payload_reference } = await fixture.upload(phone, 'SMS', Buffer.from('{"text":"mine"}'))
    assert.deepEqual(await whereIs(payload_reference), NORTH)
    assert.equal((await getDevice(reference))?.waiting_reason, null)
  }

  it('cannot take over a device with its numbers and another key, and waits as a separate device', async () => {
    const pair = newDeviceKey()
    for (const says of [
      hardware,
      { serial_number: hardware.serial_number },
      { imeis: hardware.imeis, installation_id: unique() },
    ]) {
      const thief = getPhone(says, pair)
      const phone = await thief.open({ email: 'mallory@acme.example' })
      assert.notEqual(phone.device_reference, reference)
      const device = await getDevice(phone.device_reference)
      assert.deepEqual(
        [device?.who, device?.place, device?.waiting_reason, device?.asks],
        [null, RESERVED_GROUP, 'other_key', 'mallory'],
      )
      const { payload_reference } = await fixture.upload(phone, 'SMS', Buffer.from('{"text":"not hers"}'))
      assert.deepEqual(await whereIs(payload_reference), { who: null, place: RESERVED_GROUP })
      // A repeated claim finds the same device.
      assert.equal((await thief.open()).device_reference, phone.device_reference)
      await isUnharmed()
    }
    const alerts = await getAlerts()
    assert.ok(
      alerts.length > 0 && alerts.every((alert) => alert.startsWith(`High sec waits other_key `)),
      alerts.join(),
    )
  })

  it('cannot reassign a device by email, because the device then waits for confirmation', async () => {
    const phone = await victim.open({ email: 'mallory@acme.example' })
    assert.equal(phone.device_reference, reference)
    const device = await getDevice(reference)
    assert.deepEqual(
      [device?.who, device?.place, device?.waiting_reason, device?.asks],
      [null, RESERVED_GROUP, 'holder', 'mallory'],
    )
    assert.deepEqual(await getAlerts(), [`High sec waits holder ${reference}`])
    const { payload_reference } = await fixture.upload(phone, 'SMS', Buffer.from('{"text":"whose?"}'))
    assert.deepEqual(await whereIs(payload_reference), { who: null, place: RESERVED_GROUP })
    // Another claim does not end the waiting.
    await victim.open({ email: 'vera@acme.example' })
    assert.equal((await getDevice(reference))?.waiting_reason, 'holder')
  })

  it('cannot detach a device from its user with an unknown email', async () => {
    await victim.open({ email: 'unknown@acme.example' })
    assert.deepEqual(await getAlerts(), [`Medium sec unknown email ${reference}`])
    await isUnharmed()
  })

  it('cannot become an imported device by its numbers', async () => {
    const plain = { serial_number: unique() }
    await fixture.sql(
      `insert into devices (client_id, device_reference, serial_number, device_user_id, group_id, updated_at, updated_by)
       select client_id, $1, $1, device_user_id, group_id, 0, 'test' from device_users where device_user_reference = 'vera'`,
      [plain.serial_number],
    )
    const imported = await getDevice(plain.serial_number)
    for (const [email, reason] of [
      [undefined, 'unconfirmed'],
      ['vera@acme.example', 'unconfirmed'],
      ['mallory@acme.example', 'holder'],
    ] as const) {
      const phone = await getPhone(plain).open(email ? { email } : {})
      const theirs = await getDevice(phone.device_reference)
      assert.deepEqual([theirs?.who, theirs?.place, theirs?.waiting_reason], [null, RESERVED_GROUP, reason])
      const { payload_reference } = await fixture.upload(phone, 'SMS', Buffer.from('{"text":"not hers"}'))
      assert.deepEqual(await whereIs(payload_reference), { who: null, place: RESERVED_GROUP })
    }
    // The personal enrolment names the holder.
    assert.equal((await getPhone(plain).enrol('vera')).device_reference, plain.serial_number)
    assert.deepEqual(await getDevice(plain.serial_number), imported)
    await getAlerts()
  })

  it('cannot keep the device of a person away by claiming its numbers first', async () => {
    await getPhone({ serial_number: 'ordered' }).open({ email: 'mallory@acme.example' })
    const own = getPhone({ serial_number: 'ordered' })
    const { device_reference } = await own.enrol('mallory')
    const device = await getDevice(device_reference)
    assert.deepEqual([device?.who, device?.waiting_reason], ['mallory', null])
    await getAlerts()
  })

  it('can continue an upload only with the same hardware numbers and the identical announcement', async () => {
    const { announcement } = await sealRecording(await victim.open(), 'SMS', Buffer.from('{"text":"queued"}'))
    const before = await victim.open()
    await before.announce(announcement)
    const reset = await getPhone(hardware).open()
    const readState = async (phone: TestPhone, stated = announcement) => (await phone.announce(stated))[0]
    assert.equal((await readState(reset))?.status, 'pending')
    assert.equal(
      (await readState(reset, { ...announcement, iv: randomBytes(12).toString('base64') }))?.problem,
      'payload_conflict',
    )
    assert.equal(
      (await readState(await getPhone({ serial_number: unique() }).open()))?.problem,
      'payload_conflict',
    )
    assert.deepEqual(await whereIs(announcement.payload_reference), NORTH)
  })

  it('receives the services of the claimed device until the confirmation', async () => {
    const reset = getPhone(hardware)
    const answer = await reset.authenticate({ email: 'vera@acme.example' })
    assert.deepEqual(answer.json().enabled_services, ['sms'])
  })

  it('cannot add a device to a person, whichever user it claims', async () => {
    await addPerson(fixture, 'lea', 2)
    const status = (set: string) =>
      fixture.sql(`update device_users set ${set} where device_user_reference = 'lea'`)
    const own = getPhone({ serial_number: unique() })
    const { device_reference } = await own.enrol('lea')
    const claims = async (email: string) =>
      getDevice((await getPhone({ serial_number: unique() }).open({ email })).device_reference)
    for (const [email, asks, set] of [
      ['vera@acme.example', 'vera'],
      ['paul@acme.example', 'paul'],
      ['lea@acme.example', 'lea', 'is_active = false'],
      ['lea@acme.example', null, 'deleted_at = 1'],
    ]) {
      if (set) await status(set)
      const device = await claims(email ?? '')
      assert.deepEqual(
        [device?.who, device?.place, device?.waiting_reason, device?.asks],
        [null, RESERVED_GROUP, 'unconfirmed', asks],
      )
    }
    assert.deepEqual(await getAlerts(), ['High sec waits unconfirmed'])
    // The deleted user's device may still contain their recordings.
    assert.equal((await own.open({ email: 'lea@acme.example' })).device_reference, device_reference)
    const theirs = await getDevice(device_reference)
    assert.deepEqual([theirs?.who, theirs?.waiting_reason], ['lea', null])
    assert.deepEqual(await getAlerts(), [])
    await isUnharmed()
  })

  it('is refused with an invalid signature, with the same answer as other failures', async () => {
    const other = newDeviceKey()
    const stated = victim.body()
    const refusals = [
      { ...stated, email: 'mallory@acme.example' },
      { ...stated, serial_number: unique() },
      { ...stated, device_key: other.device_key },
      { ...stated, ulid_encrypted: sealUlid(fixture.accounts.acme.account_key, 'acme', ulid()) },
    ]
    const answers = [...refusals, { ulid_encrypted: 'AAAA' }].map((body) => victim.say(body))
    for (const answer of await Promise.all(answers)) {
      const { code, message } = answer.json() as Record<string, string>
      assert.deepEqual(
        [answer.statusCode, code, message],
        [
          401,
          'device_authentication_required',
          (await victim.say({ ulid_encrypted: 'AAAA' })).json().message,
        ],
      )
    }
    await isUnharmed()
  })

  it('waits as a device of its own each time that new hardware is claimed, also at the same time', async () => {
    const racers = { serial_number: unique(), imeis: [] }
    const answers = await Promise.all(
      [getPhone(racers), getPhone(racers), getPhone(racers)].map((each) => each.open()),
    )
    const devices = await Promise.all(answers.map(({ device_reference }) => getDevice(device_reference)))
    assert.equal(new Set(answers.map(({ device_reference }) => device_reference)).size, 3)
    assert.ok(devices.every((device) => device?.waiting_reason === 'unconfirmed'))
  })

  it('is refused with a stolen token, key or hardware numbers after the device is blocked', async () => {
    const stolen = await victim.open()
    const known = getPhone({ serial_number: unique() })
    await known.enrol('mallory')
    await fixture.sql(
      `update devices set blocked_at = 1, is_deactivated = true where device_reference = $1`,
      [reference],
    )
    await fixture.sql('delete from device_tokens')
    assert.equal(
      (await fixture.app.inject({ url: '/device/v1/key', headers: stolen.headers })).statusCode,
      401,
    )
    for (const thief of [victim, getPhone(hardware)])
      assert.equal((await thief.authenticate()).statusCode, 401)
    // Also a device with its own key that claims the blocked hardware.
    assert.equal((await known.authenticate({ serial_number: hardware.serial_number })).statusCode, 401)
    assert.deepEqual(await getAlerts(), [`High sec blocked ${reference}`])
    await fixture.sql(`update devices set blocked_at = null where device_reference = $1`, [reference])
    await isUnharmed()
  })

  it('cannot claim the hardware numbers of another device for its own device', async () => {
    const mine = getPhone({ serial_number: 'mine' })
    const { device_reference } = await mine.enrol('mallory')
    assert.equal(
      (await mine.open({ serial_number: hardware.serial_number })).device_reference,
      device_reference,
    )
    assert.equal((await getDevice(device_reference))?.serial_number, 'mine')
    assert.deepEqual(await getAlerts(), [`High sec hardware of another ${device_reference}`])
    await isUnharmed()
  })
})

describe('licences at device activation', () => {
  let fixture: AccessFixture
  before(async () => {
    fixture = await accessFixture({}, { hasWorker: true })
  })
  after(() => fixture?.close())

  const phone = (name: string) => demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, name)
  const limit = (service: string, count: number) =>
    fixture.sql(
      `update client_licenses set limits = limits || jsonb_build_object($1::text, $2::int)
     where client_id = (select client_id from clients where client = 'acme')`,
      [service, count],
    )
  const used = async (service: 'calls' | 'sms') => (await fixture.alice.api.readLicenses({})).used[service]
  const shortages = async () =>
    (
      await fixture.sql<{ message: string }>(
        `select o->>'message' as message from alerts, jsonb_array_elements(occurrences) o where alert_text->>'code' = 'licenses_short'`,
      )
    ).map(({ message }) => message)

  it('exclude a service over its limit for the newly activated device only, and raise an alert', async () => {
    await limit('calls', 1)
    const harriet = await phone('Harriet')
    assert.ok((await harriet.authenticate()).enabled_services.includes('calls'))
    const imran = await phone('Imran')
    const { enabled_services, device_reference } = await imran.authenticate()
    assert.deepEqual([enabled_services.includes('calls'), enabled_services.includes('sms')], [false, true])
    const device = await fixture.alice.api.readDevice({ params: { device_reference } })
    assert.deepEqual(device.unlicensed_services, ['calls'])
    assert.deepEqual([await used('calls'), await used('sms')], [1, 2])
    const [result, ...more] = await shortages()
    assert.ok(result?.includes(device_reference) && result.includes('calls') && more.length === 0)
    assert.ok((await harriet.authenticate()).enabled_services.includes('calls'), 'an active service stays')
    await imran.authenticate()
    assert.equal((await shortages()).length, 1, 'an unchanged shortage raises no new alert')
  })

  it('keep services of active devices and add missing services when licences are available', async () => {
    await limit('calls', 0)
    const harriet = await phone('Harriet')
    assert.ok((await harriet.authenticate()).enabled_services.includes('calls'))
    await limit('calls', 2)
    const imran = await phone('Imran')
    const { enabled_services, device_reference } = await imran.authenticate()
    assert.ok(enabled_services.includes('calls'))
    const device = await fixture.alice.api.readDevice({ params: { device_reference } })
    assert.deepEqual(device.unlicensed_services, [])
    assert.equal(await used('calls'), 2)
  })

  it('are checked again on reactivation and never block an upload', async () => {
    await limit('sms', 0)
    const imran = await phone('Imran')
    const { device_reference } = await imran.authenticate()
    await fixture.alice.api.deactivateDevice({ params: { device_reference } })
    assert.equal((await imran.authenticate()).enabled_services.includes('sms'), false)
    const { payload_reference, recording } = getRecording('SMS', getMessage('Hello'))
    await imran.record(recording)
    await imran.sync()
    const [status] = await imran.status([payload_reference])
    assert.equal(status?.status, 'processed')
    await limit('sms', 100)
  })

  it('never exceed the limit when several devices activate at the same time', async () => {
    await limit('gps', 3)
    await Promise.all(
      ['Molly', 'Oliver', 'Marcus', 'Nadia'].map(async (name) => (await phone(name)).authenticate()),
    )
    const { used: all } = await fixture.alice.api.readLicenses({})
    assert.equal(all.gps, 3)
  })
})
