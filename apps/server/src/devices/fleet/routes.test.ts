import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NumberPeriod } from '@custodia/contract'
import { type AccessFixture, accessFixture, codeOf, type Person } from '../../testing/access-fixture.ts'
import { demoPhone, messageOf, recordingOf } from '../../testing/phones.ts'
import { noteProvedNumber } from '../number-custody.ts'

const HARRIET = 'Harriet Cole'
const JOAO = 'João Almeida'
const SIM = '+447700900777'
const PLACES = 'devices.numbers:read'

let fixture: AccessFixture
before(async () => {
  fixture = await accessFixture({}, { hasWorker: true })
})
after(() => fixture?.close())

const phoneOf = (first_name: string, ...phone_numbers: string[]) =>
  demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, first_name, { phone_numbers })
/** Authenticates a user's device with these SIM cards. Resolves to its reference. */
const carry = async (first_name: string, ...phone_numbers: string[]) =>
  (await (await phoneOf(first_name, ...phone_numbers)).authenticate()).device_reference
/** Moves all earlier events back by one hour. */
const anHourLater = () =>
  fixture.sql(
    `update device_numbers set from_at = from_at - 3600, to_at = to_at - 3600, last_reported = last_reported - 3600;
     update device_history set from_at = from_at - 3600, to_at = to_at - 3600`,
  )
const ofUser = async (person: Person, device_user_reference: string) =>
  (await person.api.readNumbersOfUser({ params: { device_user_reference }, query: {} })).numbers
const ofDevice = async (person: Person, device_reference: string) =>
  (await person.api.readDeviceNumbers({ params: { device_reference }, query: {} })).numbers
const readState = (periods: readonly NumberPeriod[]) =>
  periods.map((each) => [
    each.phone_number,
    each.device_user_reference,
    each.to === null ? 'still' : 'over',
    each.first_verified === null ? 'reported' : 'verified',
    each.is_contested,
  ])

describe('phone numbers', () => {
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
    assert.ok('data' in listed)
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
    const phone = await phoneOf('Harriet', SIM)
    const old = Math.floor(Date.now() / 1000) - 30 * 86_400
    await phone.record(recordingOf('SMS', messageOf('late'), { payload_time: old }).recording)
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
    const { phone_numbers } = await fixture.alice.api.readDevice({
      params: { device_reference: device },
      query: {},
    })
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
    assert.equal(await codeOf(ofUser(nora, JOAO)), 'not_found')
    const [joao] = await fixture.sql<{ device_reference: string }>(
      'select device_reference from devices join device_users using (client_id, device_user_id) where device_user_reference = $1',
      [JOAO],
    )
    assert.ok(joao)
    assert.equal(await codeOf(ofDevice(nora, joao.device_reference)), 'not_found')
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
