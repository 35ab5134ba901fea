import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DAY, type Telemetry, type TelemetryRow } from '@custodia/contract'
import { ulid } from 'ulid'
import {
  allow,
  getCode,
  openPerson,
  type Person,
  reportsFixture,
  getRows,
} from '../../testing/access-fixture.ts'
import { forgetSharedFacts } from './telemetry-store.ts'

const OF_TELEMETRY = ['telemetry:list', 'devices.telemetry:list', 'devices.telemetry:read', 'devices:read']
/** Personal data of a report that provider staff must never see. */
const SECRETS = ['Harriet', '+447700900777', '8944000000000000001', 'wifi-of-harriet', 'com.example.dating']

const fixture = await reportsFixture(OF_TELEMETRY)
const { harriet, joao, reference, now } = fixture
after(() => fixture.close())

describe('device telemetry', () => {
  const report = (more: Partial<Telemetry> = {}): Telemetry => ({
    telemetry_id: `${ulid()}-${ulid()}`,
    telemetry_time: now,
    timezone: 'Europe/London',
    os_version: '16',
    model: 'Google Pixel 10',
    app_version: '4.12.0',
    battery_percentage: 81,
    ...more,
  })
  const listed = (person: Person, query: object = {}, device_reference = reference) =>
    getRows(person.api.listTelemetryOfDevice({ params: { device_reference }, query }))
  const opened = (person: Person, telemetry_id: string, device_reference = reference) =>
    person.api.readTelemetry({ params: { device_reference, telemetry_id } })
  const all = (query: object = {}, person: Person = fixture.alice): Promise<TelemetryRow[]> =>
    getRows(person.api.listTelemetry({ query }))
  const getIds = (rows: readonly { telemetry_id: string }[]) => rows.map(({ telemetry_id }) => telemetry_id)

  const FULL: Partial<Telemetry> = {
    os: 'Android',
    security_patch: '2026-11-01',
    manufacturer: 'Google',
    imeis: [{ slot_index: 0, imei: '356938035643809' }],
    sims: [
      {
        slot_index: 0,
        sim_state: 'ready',
        operator_name: 'EE',
        operator_code: '23430',
        country: 'gb',
        network_operator_name: 'EE',
        network_type: 'NR',
        signal_strength: -87,
        is_roaming: true,
        is_default_voice: true,
      },
      { slot_index: 1, sim_state: 'absent' },
    ],
    sim_numbers: [
      { slot_index: 0, phone_number: '+447700900777', iccid: '8944000000000000001', imsi: '234300000000001' },
    ],
    is_gps_enabled: true,
    gps_satellites: 12,
    gps_signal_strength: 31.5,
    is_wifi_enabled: true,
    is_wifi_connected: true,
    wifi_signal_strength: -51,
    wifi_name: 'wifi-of-harriet',
    is_charging: false,
    memory_total: 12e9,
    memory_available: 3e9,
    storage_total: 128e9,
    storage_available: 40e9,
    services: { calls: true, sms: false },
    mobile_received: 1,
    mobile_sent: 2,
    wifi_received: 3,
    wifi_sent: 4,
    is_whitelisted: true,
    is_device_admin: true,
    is_knox_supported: true,
    is_knox_active: false,
    knox_version: '3.12',
    is_sms_allowed: true,
    is_mms_allowed: true,
    is_rcs_allowed: false,
    queue_payloads: 3,
    queue_size: 12_345,
    queue_oldest_at: 1_793_968_200,
    installed_applications: [
      {
        package_name: 'com.example.dating',
        simple_name: 'Dating',
        is_system_app: false,
        size: 5,
        uid: 10_101,
      },
    ],
    app_network_statistics: [{ package_name: 'com.example.dating', uid: 10_101, mobile_received: 7 }],
  }

  it('is returned in full when opened, and in lists without personal data', async () => {
    const stated = report(FULL)
    assert.deepEqual(await harriet.telemetry([stated]), [
      { telemetry_id: stated.telemetry_id, status: 'stored' },
    ])
    const {
      telemetry_id,
      telemetry_time,
      timezone: _timezone,
      imeis: _imeis,
      sim_numbers: _numbers,
      wifi_name: _name,
      installed_applications: _apps,
      app_network_statistics: _statistics,
      ...facts
    } = stated
    const [row] = await listed(fixture.alice)
    assert.deepEqual(
      { ...row, received_at: 0 },
      {
        client: 'acme',
        telemetry_id,
        telemetry_time,
        received_at: 0,
        facts,
        device_reference: reference,
        device_name: 'Harriet Cole · Google Pixel 10',
        device_user_reference: 'Harriet Cole',
        person_name: 'Harriet Cole',
        group: 'North',
      },
    )
    const read = await opened(fixture.alice, telemetry_id)
    assert.deepEqual(read.report, stated)
    assert.deepEqual(read.applications_in, { telemetry_id, telemetry_time })
  })

  it('shares the facts that seldom change, until no report of their month is left', async () => {
    const { db } = fixture.server.ctx
    const at = Date.UTC(1999, 0, 31, 23, 59, 59) / 1000
    const sims = (signal_strength: number) => [
      { slot_index: 0, sim_state: 'ready' as const, signal_strength, network_type: 'LTE' },
    ]
    const made = [0, 1, 1 + DAY].map((after, i) =>
      report({ telemetry_time: at + after, model: 'Shared', sims: sims(-80 - i), battery_percentage: 9 }),
    )
    await joao.telemetry(made)
    const { device_reference } = await joao.authenticate()
    for (const each of made)
      assert.deepEqual((await opened(fixture.alice, each.telemetry_id, device_reference)).report, each)
    const months = async () =>
      (
        await fixture.sql<{ month: number }>(
          `select month from telemetry_facts where facts->>'model' = 'Shared' order by 1`,
        )
      ).map(({ month }) => month)
    const january = (1999 - 1970) * 12
    assert.deepEqual(await months(), [january, january + 1])
    const client_id = await fixture.server.getId('acme')
    await db.write(client_id, forgetSharedFacts)
    assert.deepEqual(await months(), [january, january + 1])
    await fixture.sql('delete from telemetry where telemetry_time = $1', [at])
    await db.write(client_id, forgetSharedFacts)
    assert.deepEqual(await months(), [january + 1])
  })

  it('is encrypted at rest, except for its device facts', async () => {
    const tables = await fixture.sql<{ row: string }>(
      `select to_jsonb(t)::text as row from telemetry t union all select to_jsonb(l)::text from telemetry_latest l
       union all select to_jsonb(f)::text from telemetry_facts f`,
    )
    for (const secret of SECRETS)
      for (const { row } of tables) {
        assert.ok(!row.includes(secret), secret)
        assert.ok(!row.includes(Buffer.from(secret).toString('hex')), secret)
      }
    assert.ok(tables.some(({ row }) => row.includes('Google Pixel 10')))
  })

  it('refers to the newest application list when it contains none', async () => {
    const [first, second, later] = [
      report({ telemetry_time: now - 300, installed_applications: [] }),
      report({ telemetry_time: now - 200 }),
      report({ telemetry_time: now - 100, installed_applications: [{ package_name: 'x' }] }),
    ]
    await joao.telemetry([first, second, later])
    const { device_reference } = await joao.authenticate()
    assert.deepEqual((await opened(fixture.alice, second.telemetry_id, device_reference)).applications_in, {
      telemetry_id: first.telemetry_id,
      telemetry_time: first.telemetry_time,
    })
  })

  it('is opened and summarised only within the groups of its time, and opened with its own permission', async () => {
    await fixture.sql(
      `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
       select d.client_id, d.device_id, 1000, 2000, u.device_user_id, u.group_id from devices d, device_users u
       where d.device_reference = $1 and u.device_user_reference = 'João Almeida'`,
      [reference],
    )
    const inHisHands = report({ telemetry_time: 1500 })
    await harriet.telemetry([inHisHands])
    const south = await fixture.personWith(['South desk'])
    assert.equal((await opened(south, inHisHands.telemetry_id)).device_user_reference, 'João Almeida')
    const north = await fixture.personWith(['North desk'])
    assert.equal(await getCode(opened(north, inHisHands.telemetry_id)), 'not_found')
    const newest = getIds(await listed(north))[0] ?? ''
    assert.equal(await getCode(opened(south, newest)), 'not_found')
    const series = (person: Person, from: string, to: string) =>
      person.api.readTelemetrySeries({ params: { device_reference: reference }, query: { from, to } })
    assert.equal((await series(south, '1970-01-01-001500', '1970-01-02')).data.length, 1)
    assert.equal((await series(north, '1970-01-01-001500', '1970-01-02')).data.length, 0)
    assert.equal(await getCode(series(south, '2000-01-01', '2000-01-02')), 'not_found')
    await fixture.giveRole('Lists', [allow('devices.telemetry:list')])
    const lists = await fixture.personWith(['Lists'])
    assert.equal(await getCode(opened(lists, newest)), 'not_permitted')
  })

  it('is filtered by content, time, device and user, and to the newest report of each device', async () => {
    // Before Harriet, the device belonged to the user of the previous test.
    const at = now - 40 * DAY
    const readText = (more: Partial<Telemetry>) => report({ model: 'Narrow', telemetry_time: at, ...more })
    const reports = {
      low_battery: readText({ battery_percentage: 14 }),
      low_storage: readText({ storage_available: 499_999_999 }),
      waiting_payloads: readText({ queue_payloads: 1 }),
      not_whitelisted: readText({ is_whitelisted: false }),
      no_device_admin: readText({ is_device_admin: false }),
      roaming: readText({ sims: [{ slot_index: 3, sim_state: 'ready', is_roaming: true }] }),
      no_calls: readText({ services: { calls: false, sms: true } }),
      no_videos: readText({ services: { videos: false } }),
    }
    const quiet = readText({
      battery_percentage: 15,
      storage_available: 500_000_000,
      queue_payloads: 0,
      os_version: '17',
      app_version: '5',
      services: { calls: true },
    })
    await harriet.telemetry([...Object.values(reports), quiet])
    for (const [concern, { telemetry_id }] of Object.entries(reports))
      assert.deepEqual(getIds(await all({ model: 'Narrow', concerns: [concern] })), [telemetry_id], concern)
    assert.equal((await all({ model: 'Narrow', concerns: ['low_battery', 'no_calls'] })).length, 2)
    for (const query of [{ os_version: '17' }, { app_version: '5' }])
      assert.deepEqual(getIds(await all({ model: 'Narrow', ...query })), [quiet.telemetry_id])
    const day = (time: number) => new Date(time * 1000).toISOString().slice(0, 10)
    assert.equal((await all({ model: 'Narrow', from: day(at), to: day(at) })).length, 9)
    assert.equal((await all({ model: 'Narrow', to: day(at - DAY) })).length, 0)
    assert.equal((await all({ model: 'Narrow', device_user_reference: 'João Almeida' })).length, 9)
    assert.equal((await all({ model: 'Narrow', device_user_reference: 'Harriet Cole' })).length, 0)
    assert.equal((await all({ model: 'Narrow', groups: ['North'] })).length, 0)
    const latest = await all({ latest: true })
    assert.equal(new Set(latest.map(({ device_reference }) => device_reference)).size, latest.length)
    assert.ok(latest.some(({ device_reference }) => device_reference === reference))
    assert.equal((await all({ latest: true, model: 'Narrow' })).length, 0, 'newer reports exist')
  })

  it('keeps a report with a future time, but does not treat it as the newest', async () => {
    const ahead = report({ telemetry_time: now + 3650 * DAY, model: 'From the future' })
    await harriet.telemetry([ahead])
    const after = report({ telemetry_time: fixture.server.ctx.now() + 1, model: 'Of today' })
    await fixture.sql('update telemetry_latest set at = at - 10')
    await harriet.telemetry([after])
    const [latest] = await all({ latest: true, device_reference: reference })
    assert.equal(latest?.facts.model, 'Of today')
    assert.equal((await listed(fixture.alice, { from: '2035-01-01' }))[0]?.telemetry_id, ahead.telemetry_id)
    // A late report is not the newest either.
    await harriet.telemetry([report({ telemetry_time: now - DAY, model: 'Of yesterday' })])
    assert.equal((await all({ latest: true, device_reference: reference }))[0]?.facts.model, 'Of today')
  })

  it('updates the device versions on the dashboard, unless it arrives late', async () => {
    const at = fixture.server.ctx.now() + 2
    await fixture.sql('update telemetry_latest set at = at - 10')
    await harriet.telemetry([report({ telemetry_time: at, os_version: '17', app_version: '5.0.0' })])
    const device = await fixture.alice.api.readDevice({ params: { device_reference: reference } })
    assert.deepEqual([device.os_version, device.app_version], ['17', '5.0.0'])
    const { app_versions } = await fixture.alice.api.readDashboard({})
    assert.ok(app_versions.some(({ version }) => version === '5.0.0'))
    await harriet.telemetry([report({ telemetry_time: now - 5 * DAY, os_version: '12' })])
    const still = await fixture.alice.api.readDevice({ params: { device_reference: reference } })
    assert.equal(still.os_version, '17', 'a late report changes nothing')
  })

  it('adds carriers and countries to the list of the provider', async () => {
    await harriet.telemetry([
      report({
        sims: [
          { slot_index: 0, sim_state: 'ready', operator_name: 'Learnt by country', country: 'br' },
          { slot_index: 1, sim_state: 'ready', operator_name: 'Learnt by number', country: 'br' },
        ],
        sim_numbers: [{ slot_index: 1, phone_number: '+447700900777' }],
      }),
    ])
    const erin = await openPerson(fixture.server, 'admin', 'erin')
    const { data } = await erin.api.listCountries({})
    const learnt = data.flatMap(({ country_name, carriers }) =>
      carriers
        .filter(({ carrier_name }) => carrier_name.startsWith('Learnt'))
        .map(({ carrier_name }) => [country_name, carrier_name]),
    )
    assert.deepEqual(learnt, [
      ['Brazil', 'Learnt by country'],
      ['United Kingdom', 'Learnt by number'],
    ])
  })

  it('is summarised in a series whose steps show the worst values', async () => {
    const at = Date.UTC(2026, 0, 10) / 1000
    await harriet.telemetry([
      report({ telemetry_time: at, battery_percentage: 80, queue_payloads: 0, storage_available: 9e9 }),
      report({ telemetry_time: at + 10, battery_percentage: 60, queue_payloads: 5, storage_available: 8e9 }),
      report({ telemetry_time: at + 4 * 3600, battery_percentage: 90 }),
    ])
    const { from, to, step, data } = await fixture.alice.api.readTelemetrySeries({
      params: { device_reference: reference },
      query: { from: '2026-01-10', to: '2026-01-10' },
    })
    assert.deepEqual([from, to, step], [at, at + DAY, 360])
    assert.deepEqual(data, [
      {
        at,
        reports: 2,
        battery_percentage: 60,
        storage_available: 8e9,
        memory_available: null,
        queue_payloads: 5,
      },
      {
        at: at + 4 * 3600,
        reports: 1,
        battery_percentage: 90,
        storage_available: null,
        memory_available: null,
        queue_payloads: null,
      },
    ])
  })

  describe('telemetry for provider staff', () => {
    let erin: Person
    before(async () => {
      erin = await openPerson(fixture.server, 'admin', 'erin')
    })

    it('contains the newest report of each device, of all clients or of one, as device facts', async () => {
      const gina = await fixture.open('Tom')
      await gina.authenticate()
      await gina.telemetry([report({ ...FULL, model: 'At globex' })])
      const page = await erin.api.listTelemetryOfClients({})
      assert.ok(new Set(page.data.map(({ client }) => client)).size > 1)
      assert.deepEqual(Object.keys(page.data[0] ?? {}).toSorted(), [
        'client',
        'device_reference',
        'facts',
        'received_at',
        'telemetry_time',
      ])
      const one = await erin.api.listTelemetryOfClient({ params: { client: 'globex' } })
      assert.ok(one.data.every(({ client }) => client === 'globex'))
      const first = await erin.api.listTelemetryOfClients({ query: { limit: 1 } })
      assert.ok(first.last_key)
      const second = await erin.api.listTelemetryOfClients({ query: { limit: 1, last_key: first.last_key } })
      assert.ok(second.data[0]?.device_reference !== first.data[0]?.device_reference)
      const total = { type: 'total' as const, model: 'At globex', clients: ['globex'] }
      assert.deepEqual(await erin.api.listTelemetryOfClients({ query: total }), { total: 1 })
      assert.equal(
        await getCode(erin.api.listTelemetryOfClient({ params: { client: 'unknown' } })),
        'not_found',
      )
    })

    it('never contains personal data, also not in a device reference', async () => {
      const phone = await fixture.open('Harriet', { spare: 3 })
      const made = (await phone.authenticate()).device_reference
      await fixture.sql(
        `update devices set device_reference = 'Harriet +447700900777' where device_reference = $1`,
        [made],
      )
      await phone.telemetry([report({ ...FULL, model: 'Named' })])
      const page = await erin.api.listTelemetryOfClients({ query: { model: 'Named' } })
      assert.ok(page.data.length === 1)
      assert.equal(page.data[0]?.device_reference, null)
      const stated = JSON.stringify(await erin.api.listTelemetryOfClients({ query: { limit: 200 } }))
      for (const secret of [...SECRETS, 'North', '356938035643809'])
        assert.ok(!stated.includes(secret), secret)
    })

    it('is limited by database privileges, so that other columns cannot be read', async () => {
      const { db } = fixture.server.ctx
      for (const sql of [
        'select from telemetry',
        'select group_id from telemetry_latest',
        'select device_user_id from telemetry_latest',
        'select telemetry_id from telemetry_latest',
      ])
        await assert.rejects(
          db.acrossClients((q) => q.query(sql)),
          /permission denied/,
        )
      assert.equal(await getCode(all({}, erin)), 'not_permitted')
    })
  })
})
