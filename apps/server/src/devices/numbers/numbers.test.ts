import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { NumberPeriod } from '@custodia/contract'
import { type AccessFixture, type Person, accessFixture, getCode } from '../../testing/access-fixture.ts'
import { demoPhone, getMessage, getRecording } from '../../testing/phones.ts'
import { type TestServer, testServer } from '../../testing/server.ts'
import {
  CODE_SECONDS,
  VERIFIED_SECONDS,
  issueVerification,
  noteProvedNumber,
  purgeVerifications,
} from './numbers.ts'

interface Device {
  client_id: number
  device_id: number
}

describe('verification of a phone number', () => {
  let server: TestServer
  let harriet: Device
  let tom: Device
  before(async () => {
    server = await testServer()
    for (const name of ['Harriet', 'Tom'])
      await (await demoPhone(server.ctx.config.dataDir, server.url, name)).authenticate()
    const found = await server.sql('select client_id, device_id from devices order by client_id')
    ;[harriet, tom] = found as [Device, Device]
  })
  after(() => server?.close())
  beforeEach(() => server.sql('delete from number_verifications'))

  const issue = ({ client_id, device_id }: Device, now = server.ctx.now()) =>
    server.ctx.db.write(client_id, (tx) => issueVerification(tx, { device_id, now }))
  const report = async (verification_code: string, phone_number = '+44 7700 900555') => {
    const response = await fetch(`${server.url}/admin/v1/internal/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phone_number, verification_code }),
    })
    return { status: response.status, body: await response.text() }
  }
  const getNumbers = ({ device_id }: Device) =>
    server.sql<{ phone_number: string; first_verified: number | null; last_verified: number | null }>(
      `select phone_number, slot_index, first_verified, last_verified from device_numbers
       where device_id = $1 and to_at is null order by claim_id desc`,
      [device_id],
    )
  const activities = async () => {
    const rows = await server.sql(
      `select client_id, device_user_reference, parameters from device_activities join groups using (client_id, group_id)
       where action = 'verify' order by log_id`,
    )
    return rows as { client_id: number; device_user_reference: string; parameters: string }[]
  }
  const REFUSED = { status: 200, body: '{"is_verified":false,"verified_until":null}' }

  it('verifies the number of the device that sent the code, and logs it once', async () => {
    const code = await issue(harriet)
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{26}$/)
    const others = await getNumbers(tom)
    const { status, body } = await report(code)
    const now = server.ctx.now()
    const answer = JSON.parse(body) as { is_verified: boolean; verified_until: number }
    assert.deepEqual([status, answer.is_verified], [200, true])
    assert.ok(Math.abs(answer.verified_until - now - VERIFIED_SECONDS) < 60)
    const [number, ...known] = await getNumbers(harriet)
    assert.equal(number?.phone_number, '+447700900555')
    assert.ok(number && Math.abs((number.first_verified ?? 0) - now) < 60)
    assert.deepEqual(
      known.map(({ phone_number, last_verified }) => [phone_number, last_verified]),
      [['+447700900101', null]],
    )
    assert.deepEqual(await getNumbers(tom), others)
    const [entry, ...more] = await activities()
    assert.ok(entry && more.length === 0)
    assert.deepEqual([entry.client_id, entry.device_user_reference], [harriet.client_id, 'Harriet Cole'])
    assert.ok(!entry.parameters.includes(code))
    assert.deepEqual(await report(code), REFUSED, 'a second time')
    assert.equal((await activities()).length, 1)
  })

  it('renews a known number and keeps the time when it was first verified', async () => {
    await server.sql('update device_numbers set to_at = from_at where device_id = $1', [tom.device_id])
    await server.sql(
      `insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, last_reported, first_verified, last_verified)
       values ($1, $2, '+447700900201', 1, 4, 4, 5, 6)`,
      [tom.client_id, tom.device_id],
    )
    assert.equal((await report(` ${(await issue(tom)).toLowerCase()} `, '447700900201')).status, 200)
    const [number, ...more] = await getNumbers(tom)
    assert.ok(number && (number.last_verified ?? 0) > 6)
    assert.deepEqual(
      [{ ...number, last_verified: 0 }, more],
      [{ phone_number: '+447700900201', slot_index: 1, first_verified: 5, last_verified: 0 }, []],
    )
  })

  it('gives the same answer to unknown, expired and partly wrong codes, without using up the code', async () => {
    const before = await activities()
    const expired = await issue(harriet, server.ctx.now() - CODE_SECONDS)
    const fresh = await issue(harriet)
    for (const code of [expired, '0'.repeat(26), `${fresh.slice(0, 25)}!`, fresh.slice(1)])
      assert.deepEqual(await report(code), REFUSED)
    assert.deepEqual(await report(fresh, 'Example Bank'), REFUSED, 'not a number')
    assert.equal((await report('short')).status, 400)
    assert.deepEqual(await activities(), before)
    assert.match((await report(fresh)).body, /"is_verified":true/, 'the refused reports did not use the code')
  })

  it('accepts a code once when it is reported several times at the same time', async () => {
    const code = await issue(harriet)
    const answers = await Promise.all(Array.from({ length: 8 }, () => report(code)))
    assert.equal(answers.filter(({ body }) => body.includes('true')).length, 1)
  })

  it('stores no plain code, issues none for devices of another client, and deletes old codes', async () => {
    const code = await issue(harriet)
    const rows = await server.sql('select t::text as row from number_verifications t')
    assert.ok(rows.length === 1 && !rows[0]?.row.includes(code))
    await assert.rejects(issue({ client_id: tom.client_id, device_id: harriet.device_id }), {
      code: 'not_found',
    })
    const day = 86_400
    await issue(tom, server.ctx.now() - 31 * day)
    await purgeVerifications.run(server.ctx, {}, new AbortController().signal)
    const left = await server.sql('select device_id from number_verifications')
    assert.deepEqual(left, [{ device_id: harriet.device_id }])
  })
})

describe('phone numbers', () => {
  const HARRIET = 'Harriet Cole'
  const JOAO = 'João Almeida'
  const SIM = '+447700900777'
  const PLACES = 'devices.numbers:read'

  let fixture: AccessFixture
  before(async () => {
    fixture = await accessFixture({}, { hasWorker: true })
  })
  after(() => fixture?.close())

  const getPhone = (first_name: string, ...phone_numbers: string[]) =>
    demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, first_name, { phone_numbers })
  /** Authenticates a user's device with these SIM cards. Resolves to its reference. */
  const carry = async (first_name: string, ...phone_numbers: string[]) =>
    (await (await getPhone(first_name, ...phone_numbers)).authenticate()).device_reference
  /** Moves all earlier events back by one hour. */
  const anHourLater = () =>
    fixture.sql(
      `update device_numbers set from_at = from_at - 3600, to_at = to_at - 3600, last_reported = last_reported - 3600;
     update device_history set from_at = from_at - 3600, to_at = to_at - 3600`,
    )
  const ofUser = async (person: Person, device_user_reference: string) =>
    (await person.api.readNumbersOfUser({ params: { device_user_reference } })).numbers
  const ofDevice = async (person: Person, device_reference: string) =>
    (await person.api.readDeviceNumbers({ params: { device_reference } })).numbers
  const readState = (periods: readonly NumberPeriod[]) =>
    periods.map((each) => [
      each.phone_number,
      each.device_user_reference,
      each.to === null ? 'still' : 'over',
      each.first_verified === null ? 'reported' : 'verified',
      each.is_contested,
    ])

  it('belong to one device user at a time, with start and end', async () => {
    const harriet = await carry('Harriet', '+44 7700 900777')
    await anHourLater()
    const joao = await carry('João', SIM)
    assert.deepEqual(readState(await ofUser(fixture.alice, HARRIET)), [
      [SIM, HARRIET, 'over', 'reported', false],
    ])
    assert.deepEqual(readState(await ofUser(fixture.alice, JOAO)), [[SIM, JOAO, 'still', 'reported', false]])
    const [before] = await ofDevice(fixture.alice, harriet)
    const [since] = await ofDevice(fixture.alice, joao)
    assert.ok(before && since && before.to === since.from && before.from < since.from)
    const listed = await fixture.alice.api.listDevices({ query: { number: '900777' } })
    assert.deepEqual(
      listed.data.map((device) => [device.device_user_reference, device.phone_numbers.length]).toSorted(),
      [
        [HARRIET, 0],
        [JOAO, 1],
      ],
      'found by a former number, shown with the current one',
    )
  })

  it('raise one alert when two devices report them, and late payloads change nothing', async () => {
    await anHourLater()
    await fixture.newAlerts()
    await carry('Harriet', SIM)
    const alerts = await fixture.newAlerts()
    assert.equal(alerts.length, 1)
    assert.match(alerts[0] ?? '', /^Medium: .*\+447700900777/)
    await carry('Harriet', SIM)
    assert.deepEqual(await fixture.newAlerts(), [])
    assert.deepEqual(readState(await ofUser(fixture.alice, HARRIET)), [
      [SIM, HARRIET, 'still', 'reported', true],
      [SIM, HARRIET, 'over', 'reported', false],
    ])
    const before = await fixture.sql('select * from device_numbers order by claim_id')
    const phone = await getPhone('Harriet', SIM)
    const old = Math.floor(Date.now() / 1000) - 30 * 86_400
    await phone.record(getRecording('SMS', getMessage('late'), { payload_time: old }).recording)
    await phone.sync()
    const after = await fixture.sql('select * from device_numbers order by claim_id')
    const still = (rows: readonly object[]) => rows.map((row) => ({ ...row, last_reported: 0 }))
    assert.deepEqual(still(after), still(before))
  })

  it('stay verified when another device reports them', async () => {
    const device = await carry('Harriet', SIM)
    const [row] = await fixture.sql<{ client_id: number; device_id: number }>(
      'select client_id, device_id from devices where device_reference = $1',
      [device],
    )
    assert.ok(row)
    await anHourLater()
    const { ctx } = fixture.server
    await ctx.db.write(row.client_id, (tx) =>
      noteProvedNumber(tx, { device_id: row.device_id, phone_number: SIM, now: ctx.now() }),
    )
    await anHourLater()
    await carry('João', SIM)
    assert.deepEqual(readState(await ofUser(fixture.alice, HARRIET))[0], [
      SIM,
      HARRIET,
      'still',
      'verified',
      false,
    ])
    assert.deepEqual(readState(await ofUser(fixture.alice, JOAO))[0], [SIM, JOAO, 'still', 'reported', true])
    const { phone_numbers } = await fixture.alice.api.readDevice({ params: { device_reference: device } })
    assert.deepEqual(
      phone_numbers.map((each) => [each.phone_number, each.first_verified !== null, each.is_contested]),
      [[SIM, true, false]],
    )
  })

  it('show only the periods in groups that the reader may see', async () => {
    const conditions = [{ names_matching: ['North'] }]
    await fixture.giveRole('North numbers', [
      { actions_matching: [PLACES, 'users.numbers:read', 'devices:list'], conditions },
    ])
    const nora = await fixture.personWith(['North numbers'])
    assert.equal((await ofUser(nora, HARRIET)).length, 3)
    assert.equal(await getCode(ofUser(nora, JOAO)), 'not_found')
    const [joao] = await fixture.sql<{ device_reference: string }>(
      'select device_reference from devices join device_users using (client_id, device_user_id) where device_user_reference = $1',
      [JOAO],
    )
    assert.ok(joao)
    assert.equal(await getCode(ofDevice(nora, joao.device_reference)), 'not_found')
    // The device was João's in South; Harriet received it a moment ago.
    await fixture.sql(
      `update devices set (device_user_id, group_id) = (select device_user_id, group_id from device_users where device_user_reference = $2)
       where device_reference = $1`,
      [joao.device_reference, HARRIET],
    )
    await fixture.sql(
      `with ended as (
         update device_history h set to_at = 50 + h.from_at from devices d
         where d.device_reference = $1 and h.device_id = d.device_id and to_at is null returning h.*)
       insert into device_history select e.client_id, e.device_id, e.to_at, null, d.device_user_id, d.group_id
       from ended e join devices d using (device_id)`,
      [joao.device_reference],
    )
    const groups = async (person: Person) =>
      new Set((await ofDevice(person, joao.device_reference)).map(({ group }) => group))
    assert.deepEqual(await groups(fixture.alice), new Set(['North', 'South']))
    assert.deepEqual(await groups(nora), new Set(['North']))
  })
})
