import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type Device, DEVICE_SERVICES } from '@custodia/contract'
import { ulid } from 'ulid'
import { accessFixture, allow, getCode, getProblem, type Person } from '../../testing/access-fixture.ts'
import { demoPhone, getMessage, getRecording } from '../../testing/phones.ts'

const at = (device_reference: string) => ({ params: { device_reference }, query: {} })
const read = (person: Person, device_reference = reference) => person.api.readDevice(at(device_reference))
const open = (name: string, spare = 0, more: object = {}) =>
  demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, name, { spare, ...more })
const found = async (person: Person, query: Parameters<Person['api']['listDevices']>[0]['query']) => {
  const answer = await person.api.listDevices({ query })
  assert.ok('data' in answer)
  assert.deepEqual(await person.api.listDevices({ query: { ...query, type: 'total' } }), {
    total: answer.data.length,
  })
  return answer.data.map(({ device_user_reference }) => device_user_reference)
}
const within = (...groups: string[]) => [
  { actions_matching: ['devices:*', 'devices.*', 'users.*'], conditions: [{ names_matching: groups }] },
]

const fixture = await accessFixture({}, { hasWorker: true })
after(() => fixture.close())
const phone = await open('Harriet')
const reference = (await phone.authenticate()).device_reference
for (const name of ['Imran', 'João']) await (await open(name)).authenticate()
await fixture.giveRole('North desk', within('North'))
await fixture.giveRole('South desk', within('South'))

describe('devices', () => {
  it('are returned with their holder, their services and their state', async () => {
    const { last_seen, activated_at, updated_at, phone_numbers, ...result } = await read(fixture.alice)
    assert.deepEqual(result, {
      client: 'acme',
      device_reference: reference,
      device_state: 'activated',
      device_user_reference: 'Harriet Cole',
      group: 'North',
      services: [...DEVICE_SERVICES],
      unlicensed_services: [],
      imeis: [],
      email: 'harriet.cole@acme.example',
      first_name: 'Harriet',
      surname: 'Cole',
      silence: null,
      last_payload_at: null,
      usual_gap: null,
      is_deactivated: false,
      deactivation_date: null,
      blocked_at: null,
      blocked_by: null,
      proof: 'key',
      waiting_since: null,
      waiting_reason: null,
      waiting_payloads: null,
      requested_user_reference: null,
      same_hardware_as: null,
      is_legacy: false,
      legacy_phone_number: null,
      model: 'Pretend 1',
      os_version: '16',
      app_version: '4.12.0',
      serial_number: 'serial harriet.cole@acme.example 0',
      installation_id: 'installation harriet.cole@acme.example 0',
      fcm_token: null,
      is_held: false,
      updated_by: 'device',
    } satisfies Partial<Device>)
    assert.ok(last_seen !== null && activated_at !== null && updated_at >= activated_at)
    assert.deepEqual(
      phone_numbers.map(({ phone_number, first_verified }) => [phone_number, first_verified]),
      [['+447700900101', null]],
    )
  })

  it('are found by holder, numbers, hardware and versions', async () => {
    await fixture.sql(
      `update devices set imeis = '{356938035643809}', app_version = '4.11.0', last_seen = last_seen - 5 * 86400,
         legacy_phone_number = '020 7946 0018', is_legacy = true, model = 'Google Pixel-10 Pró' where device_reference = $1`,
      [reference],
    )
    for (const query of [
      { search: 'harr col' },
      { search: 'HARRIET.COLE@' },
      { search: '0101' },
      { search: '07700 900101' },
      { search: '0018' },
      { number: '0207 946' },
      { search: '+44 20 7946 0018' },
      { number: '020 7946 0018' },
      { number: '900101' },
      { search: '3569' },
      { search: 'Serial Harr' },
      { search: 'pixel 10' },
      { search: 'PRO goog' },
      { search: reference.toLowerCase() },
      { app_version: '4.11.0' },
      { silent_days: '3' as const },
      { is_legacy: true },
    ])
      assert.deepEqual(await found(fixture.alice, query), ['Harriet Cole'], JSON.stringify(query))
    for (const search of ['+44 77', '07700'])
      assert.deepEqual(await found(fixture.alice, { search }), ['Harriet Cole', 'Imran Shah'], search)
    for (const query of [
      { search: 'no match' },
      { search: '%' },
      { search: '+447702' },
      { search: 'ixel' },
      { search: '10' },
      { number: '7700' },
      { number: 'Harriet' },
      { silent_days: '7' as const },
      { states: ['pending' as const] },
      { groups: ['South'], search: 'harriet' },
    ])
      assert.deepEqual(await found(fixture.alice, query), [], JSON.stringify(query))
    assert.equal((await found(fixture.alice, { services: ['gps'], states: ['activated'] })).length, 3)
    const seen = await found(fixture.alice, { seen_days: '3' })
    assert.ok(seen.length > 0 && !seen.includes('Harriet Cole'))
    assert.ok((await found(fixture.alice, { seen_days: '7' })).includes('Harriet Cole'))
  })

  it('are sorted by name, time and version in both directions, page by page', async () => {
    const versions: Readonly<Record<string, string | null>> = {
      Harriet: '4.9.1',
      Imran: '4.12.0',
      João: null,
    }
    for (const [name, version] of Object.entries(versions))
      await fixture.server.sql(
        `update devices set app_version = $2, last_seen = 1700000000 + 50000 * length($1) where device_user_id =
           (select device_user_id from device_users where client_id = devices.client_id and first_name = $1)`,
        [name, version],
      )
    const sorted = async (sort: NonNullable<Parameters<typeof found>[1]>['sort']) => {
      const names: (string | null | undefined)[] = []
      let last_key: string | undefined
      do {
        const page = await fixture.alice.api.listDevices({
          query: { sort, limit: 1, ...(last_key && { last_key }) },
        })
        names.push(...page.data.map(({ first_name }) => first_name))
        last_key = page.last_key
      } while (last_key !== undefined)
      return names
    }
    assert.deepEqual(await sorted('holder'), ['Harriet', 'Imran', 'João'])
    assert.deepEqual(await sorted('-holder'), ['João', 'Imran', 'Harriet'])
    assert.deepEqual(await sorted('app_version'), ['João', 'Harriet', 'Imran'], '4.9 comes before 4.12')
    assert.deepEqual(await sorted('-last_seen'), ['Harriet', 'Imran', 'João'])
    assert.deepEqual(await sorted('last_seen'), ['João', 'Imran', 'Harriet'])
    // Equal values: by reference, each device once.
    assert.deepEqual((await sorted('model')).toSorted(), ['Harriet', 'Imran', 'João'])
    const users = await fixture.alice.api.listDeviceUsers({ query: { sort: '-name', limit: 2 } })
    const rest = await fixture.alice.api.listDeviceUsers({
      query: { sort: '-name', limit: 100, last_key: users.last_key },
    })
    const people = [...users.data, ...rest.data].map(({ first_name }) => first_name ?? '')
    assert.deepEqual(
      people,
      people.toSorted((a, b) => b.localeCompare(a)),
    )
  })

  it('can be read when their reference equals a page name of the portal', async () => {
    const [before] = await fixture.sql<{ device_reference: string }>(
      `select device_reference from devices where device_reference = $1`,
      [reference],
    )
    const rename = (from: string, to: string) =>
      fixture.sql('update devices set device_reference = $2 where device_reference = $1', [from, to])
    for (const name of ['logs', 'metrics', 'users']) {
      await rename(reference, name)
      assert.equal((await read(fixture.alice, name)).device_reference, name)
      assert.equal((await fixture.alice.api.readDeviceHistory(at(name))).device_reference, name)
      await rename(name, before?.device_reference ?? '')
    }
  })

  it('lose their tokens on deactivation and become active when they authenticate again', async () => {
    const { deactivation_date, device_state } = await fixture.alice.api.deactivateDevice(at(reference))
    assert.ok(device_state === 'deactivated' && deactivation_date !== null)
    assert.equal(
      (await fixture.alice.api.deactivateDevice(at(reference))).deactivation_date,
      deactivation_date,
    )
    const tokens = await fixture.sql(
      'select from device_tokens join devices using (client_id, device_id) where device_reference = $1',
      [reference],
    )
    assert.equal(tokens.length, 0, 'no earlier token becomes valid again')
    await phone.authenticate()
    const again = await read(fixture.alice)
    assert.deepEqual([again.device_state, again.deactivation_date], ['activated', null])
  })

  it('are deactivated as a selection or as all that match, as far as the caller may', async () => {
    const north = await fixture.personWith(['North desk'])
    const all = await fixture.alice.api.listDevices({})
    const south = all.data.find(({ group }) => group === 'South')?.device_reference ?? ''
    const chosen = await north.api.deactivateDevices({ body: { device_references: [south, 'unknown'] } })
    assert.deepEqual(
      chosen.data.map(({ status }) => status),
      ['NoMatchingRecord', 'NoMatchingRecord'],
    )
    const search = { search: 'harriet' }
    for (const body of [{}, { device_references: [reference], all: true as const }]) {
      const { faults } = await getProblem(north.api.deactivateDevices({ query: search, body }))
      assert.equal(faults[0]?.code, 'no_selection', 'a forgotten selection deactivates no device')
    }
    const own = await north.api.deactivateDevices({ query: search, body: { all: true } })
    const named = { device_reference: reference, device_name: 'Pretend 1' }
    assert.deepEqual(own, { data: [{ ...named, status: 'Ok' }], is_cut: false })
    assert.equal((await read(fixture.alice)).device_state, 'deactivated')
    assert.equal((await read(fixture.alice, south)).device_state, 'activated')
    await phone.authenticate()
  })

  it('are refused while blocked, raise alerts on attempts, and return after unblocking', async () => {
    const log = () =>
      phone.log([
        {
          log_id: `${ulid()}-${ulid()}`,
          log_class: 'Uploader',
          log_level: 'INFO',
          log_datetime: 1,
          local_timezone: 'UTC',
          log_message: 'On its way',
        },
      ])
    const reports = [log, () => phone.commands()]
    const reported = async () => (await fixture.sql('select from device_logs')).length
    for (const call of reports) await call()
    assert.equal(await reported(), 1)
    await fixture.newAlerts()
    const blocked = await fixture.alice.api.blockDevice(at(reference))
    assert.deepEqual([blocked.device_state, blocked.blocked_by], ['blocked', 'alice'])
    // The server refuses every report and command, also with the former token.
    for (const call of [...reports, () => phone.authenticate()]) await assert.rejects(call(), { status: 401 })
    assert.equal(await reported(), 1)
    const sameHardware = await open('Imran', 0, {
      identity: {
        model: 'Pretend 1',
        os_version: '16',
        app_version: '4.12.0',
        serial_number: 'serial harriet.cole@acme.example 0',
        installation_id: 'another',
        phone_numbers: [],
        imeis: [],
        email: 'imran.shah@acme.example',
      },
    })
    await assert.rejects(sameHardware.authenticate(), 'another person, another installation')
    assert.equal((await read(fixture.alice)).device_state, 'blocked')
    const alerts = await fixture.newAlerts()
    assert.ok(
      alerts.length >= 2 && alerts.every((alert) => alert.startsWith('High: ') && alert.includes(reference)),
    )
    const lifted = await fixture.alice.api.unblockDevice(at(reference))
    assert.deepEqual([lifted.device_state, lifted.blocked_at], ['deactivated', null])
    await phone.authenticate()
    assert.equal((await read(fixture.alice)).device_state, 'activated')
  })

  it('are hidden after deletion until they authenticate again, and keep their payloads', async () => {
    const sms = getRecording('SMS', getMessage('Hello'))
    await phone.record(sms.recording)
    await phone.sync()
    assert.deepEqual(await fixture.alice.api.deleteDevice(at(reference)), {})
    assert.equal(await getCode(read(fixture.alice)), 'not_found')
    assert.deepEqual(await found(fixture.alice, { search: 'harriet' }), [])
    const [payload] = await fixture.sql('select from payloads where payload_reference = $1', [
      sms.payload_reference,
    ])
    assert.ok(payload)
    await phone.authenticate()
    assert.equal((await read(fixture.alice)).device_state, 'activated')
  })

  it('show their holders over time and hide the holders outside the reader’s groups', async () => {
    await fixture.sql(
      `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
       select d.client_id, d.device_id, 1000, 2000, u.device_user_id, u.group_id from devices d, device_users u
       where d.device_reference = $1 and u.device_user_reference = 'João Almeida'`,
      [reference],
    )
    const readState = async (person: Person) =>
      (await person.api.readDeviceHistory(at(reference))).history.map(({ from, to, ...who }) => [
        from > 1000,
        to,
        who.device_user_reference,
        who.person_name,
        who.group,
      ])
    assert.deepEqual(await readState(fixture.alice), [
      [true, null, 'Harriet Cole', 'Harriet Cole', 'North'],
      [false, 2000, 'João Almeida', 'João Almeida', 'South'],
    ])
    const north = await fixture.personWith(['North desk'])
    // Without the right to read device users.
    assert.deepEqual(await readState(north), [
      [true, null, 'Harriet Cole', undefined, 'North'],
      [false, 2000, null, undefined, null],
    ])
    const setRequested = (name: string | null) =>
      fixture.sql(
        `update devices set requested_user_id = (select device_user_id from device_users where device_user_reference = $2)
         where device_reference = $1`,
        [reference, name],
      )
    await setRequested('João Almeida')
    assert.equal((await read(fixture.alice)).requested_user_name, 'João Almeida')
    assert.equal((await north.api.readDevice(at(reference))).requested_user_name, undefined)
    await setRequested(null)
  })

  it('are listed by device user, and payloads by device and user, within the reader’s groups', async () => {
    const user = { params: { device_user_reference: 'Harriet Cole' }, query: {} }
    const devices = await fixture.alice.api.listDevicesOfUser(user)
    assert.deepEqual(
      devices.data.map((device) => device.device_reference),
      [reference],
    )
    await fixture.giveRole('North reader', [
      {
        actions_matching: ['devices.payloads:list', 'users.payloads:list'],
        conditions: [{ names_matching: ['North'] }],
      },
    ])
    await fixture.giveRole('South reader', [
      {
        actions_matching: ['devices.payloads:list', 'users.payloads:list'],
        conditions: [{ names_matching: ['South'] }],
      },
    ])
    const north = await fixture.personWith(['North reader'])
    const south = await fixture.personWith(['South reader'])
    for (const [call, whose] of [
      ['listPayloadsOfUser', user],
      ['listPayloadsOfDevice', at(reference)],
    ] as const) {
      const ask = (person: Person, query: object = {}) =>
        person.api[call as 'listPayloadsOfUser']({ ...whose, query } as never)
      assert.deepEqual(
        (await ask(north)).data.map(({ payload_type }) => payload_type),
        ['SMS'],
        call,
      )
      assert.deepEqual(await ask(north, { type: 'total' }), { total: 1 })
      assert.deepEqual((await ask(north, { payload_types: ['Call'] })).data, [])
      assert.equal(await getCode(ask(south)), 'not_found')
      assert.equal(await getCode(ask(south, { type: 'total' })), 'not_found')
    }
    await fixture.giveRole('Lister', [allow('payloads:list')])
    const lister = await fixture.personWith(['Lister'])
    assert.equal(await getCode(lister.api.listPayloadsOfUser(user)), 'not_permitted')
  })
})
