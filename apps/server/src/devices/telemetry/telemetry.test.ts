import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { REPORT_SIZE_LIMIT, type Telemetry, type TelemetryRow } from '@custodia/contract'
import { type AccountKey, memoryStore, type Phone } from '@custodia/device-sdk'
import { newDek, newKeyPair, sealMeta, wrapDek } from '@custodia/envelope'
import { ulid } from 'ulid'
import { dropEmptyMonths, makeMonths } from '../../ports/database/partitions.ts'
import {
  type AccessFixture,
  accessFixture,
  allow,
  codeOf,
  openPerson,
  type Person,
} from '../../testing/access-fixture.ts'
import { demoPhone } from '../../testing/phones.ts'
import { reassignClient } from '../reassign.ts'
import { TELEMETRY_TABLE } from './telemetry-store.ts'

const DAY = 86_400
const OF_TELEMETRY = ['telemetry:list', 'devices.telemetry:list', 'devices.telemetry:read', 'devices:read']
/** Personal data of a report that provider staff must never see. */
const SECRETS = ['Harriet', '+447700900777', '8944000000000000001', 'wifi-of-harriet', 'com.example.dating']

describe('device telemetry', () => {
  let fixture: AccessFixture
  let harriet: Phone
  let joao: Phone
  let reference: string
  let now: number
  before(async () => {
    fixture = await accessFixture()
    harriet = await open('Harriet')
    joao = await open('João')
    reference = (await harriet.authenticate()).device_reference
    await joao.authenticate()
    now = fixture.server.ctx.now()
    for (const group of ['North', 'South'])
      await fixture.giveRole(`${group} desk`, [
        { actions_matching: OF_TELEMETRY, conditions: [{ names_matching: [group] }] },
      ])
  })
  after(() => fixture?.close())

  const open = (name: string, more: object = {}) =>
    demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, name, more)
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
  const listed = async (person: Person, query: object = {}, device_reference = reference) => {
    const answer = await person.api.listTelemetryOfDevice({ params: { device_reference }, query })
    assert.ok('data' in answer)
    return answer.data
  }
  const opened = (person: Person, telemetry_id: string, device_reference = reference) =>
    person.api.readTelemetry({ params: { device_reference, telemetry_id } })
  const all = async (query: object = {}, person: Person = fixture.alice): Promise<TelemetryRow[]> => {
    const answer = await person.api.listTelemetry({ query })
    assert.ok('data' in answer)
    return answer.data
  }
  const idsOf = (rows: readonly { telemetry_id: string }[]) => rows.map(({ telemetry_id }) => telemetry_id)

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
        device_user_reference: 'Harriet Cole',
        group: 'North',
      },
    )
    const read = await opened(fixture.alice, telemetry_id)
    assert.deepEqual(read.report, stated)
    assert.deepEqual(read.applications_in, { telemetry_id, telemetry_time })
  })

  it('is encrypted at rest, except for its device facts', async () => {
    const tables = await fixture.sql<{ row: string }>(
      'select to_jsonb(t)::text as row from telemetry t union all select to_jsonb(l)::text from telemetry_latest l',
    )
    for (const secret of SECRETS)
      for (const { row } of tables) {
        assert.ok(!row.includes(secret), secret)
        assert.ok(!row.includes(Buffer.from(secret).toString('hex')), secret)
      }
    assert.ok(tables.some(({ row }) => row.includes('Google Pixel 10')))
  })

  it('is stored once, and a different report with the same id is a conflict', async () => {
    const [one, other] = [report(), report()]
    await harriet.telemetry([one])
    assert.deepEqual(
      (await harriet.telemetry([one, other])).map(({ status }) => status),
      ['stored', 'stored'],
    )
    const altered = { ...one, battery_percentage: 7 }
    assert.equal((await harriet.telemetry([altered]))[0]?.status, 'conflict')
    // The same id on another device is another report, so no device can block another's ids.
    assert.equal((await joao.telemetry([altered]))[0]?.status, 'stored')
    const again = idsOf(await listed(fixture.alice)).filter((id) => id === one.telemetry_id)
    assert.equal(again.length, 1)
    assert.equal((await opened(fixture.alice, one.telemetry_id)).report?.battery_percentage, 81)
    const many = Array.from({ length: 40 }, () => report({ model: 'Parallel' }))
    const answers = await Promise.all(Array.from({ length: 4 }, () => harriet.telemetry(many)))
    assert.ok(answers.flat().every(({ status }) => status === 'stored'))
    assert.deepEqual(await fixture.alice.api.listTelemetry({ query: { type: 'total', model: 'Parallel' } }), {
      total: 40,
    })
  })

  it('reports a conflict also when both versions arrive at the same time', async () => {
    const pairs = Array.from({ length: 20 }, () => {
      const one = report()
      return [one, { ...one, battery_percentage: 7 }] as const
    })
    const answers = await Promise.all(
      pairs.flat().map(async (each) => ({ each, status: (await harriet.telemetry([each]))[0]?.status })),
    )
    const kept = answers.filter(({ status }) => status === 'stored').map(({ each }) => each)
    assert.equal(answers.filter(({ status }) => status === 'conflict').length, pairs.length)
    for (const { telemetry_id, battery_percentage } of kept)
      assert.equal((await opened(fixture.alice, telemetry_id)).report?.battery_percentage, battery_percentage)
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

  describe('validation of telemetry reports', () => {
    const LIMIT_ID = () => `${ulid()}-${ulid()}`
    let key: AccountKey
    before(async () => {
      key = await harriet.key()
    })
    /** Uploads reports that a genuine device never sends. */
    const upload = async (
      items: {
        telemetry_id: string
        telemetry_time?: number
        document: unknown
        client?: string
        kind?: string
      }[],
      more: { kek?: string; key_id?: string } = {},
    ) => {
      const dek = newDek()
      const token = (await harriet.authenticate()).access_token
      const response = await fetch(`${fixture.server.url}/device/v1/telemetry`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          key_id: more.key_id ?? key.key_id,
          encrypted_dek: wrapDek(more.kek ?? key.kek, dek),
          telemetry: items.map(
            ({ telemetry_id, telemetry_time = now, document, client = 'acme', kind = 'telemetry' }) => ({
              telemetry_id,
              telemetry_time,
              ...sealMeta(dek, { client, payload_reference: telemetry_id, kind }, document),
            }),
          ),
        }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const outcomes = async (...documents: unknown[]) => {
      const { body } = await upload(
        documents.map((document) => ({ telemetry_id: (document as Telemetry).telemetry_id, document })),
      )
      return (body.telemetry as { status: string; reason?: string; path?: string }[]).map(
        ({ status, reason, path }) => [status, reason, path].filter((each) => each !== undefined).join(' '),
      )
    }

    it('rejects an invalid report with its fault and stores the other reports of the call', async () => {
      const good = report({ model: 'Next to invalid ones' })
      assert.deepEqual(
        await outcomes(
          good,
          report({ battery_percentage: 101 }),
          { ...report(), colour: 'red' },
          report({ installed_applications: [{ package_name: '' }] }),
        ),
        [
          'stored',
          'failed malformed_meta battery_percentage',
          'failed malformed_meta colour',
          'failed malformed_meta installed_applications.0.package_name',
        ],
      )
      assert.deepEqual(idsOf(await all({ model: 'Next to invalid ones' })), [good.telemetry_id])
    })

    it('accepts values at each limit and rejects values beyond it', async () => {
      const apps = (length: number) => Array.from({ length }, (_, i) => ({ package_name: `a${i}` }))
      const sim = (slot_index: number) => ({ slot_index, sim_state: 'ready' as const })
      const edges: [Partial<Telemetry>, Partial<Telemetry>, string][] = [
        [{ battery_percentage: 0 }, { battery_percentage: -1 }, 'battery_percentage'],
        [{ battery_percentage: 100 }, { battery_percentage: 100.5 }, 'battery_percentage'],
        [{ model: 'm'.repeat(255) }, { model: 'm'.repeat(256) }, 'model'],
        [
          { installed_applications: apps(2000) },
          { installed_applications: apps(2001) },
          'installed_applications',
        ],
        [
          { app_network_statistics: apps(1000) },
          { app_network_statistics: apps(1001) },
          'app_network_statistics',
        ],
        [{ sims: Array.from({ length: 10 }, (_, i) => sim(i)) }, { sims: [sim(10)] }, 'sims.0.slot_index'],
        [{ sims: [sim(0), sim(1)] }, { sims: [sim(1), sim(1)] }, 'sims'],
        [{ wifi_signal_strength: -200 }, { wifi_signal_strength: -201 }, 'wifi_signal_strength'],
        [{ storage_available: Number.MAX_SAFE_INTEGER }, { storage_available: 2 ** 53 }, 'storage_available'],
        [{ gps_satellites: 1000 }, { gps_satellites: 1001 }, 'gps_satellites'],
        [{ telemetry_time: 0 }, { timezone: '' }, 'timezone'],
        [
          { imeis: [{ slot_index: 0, imei: '3'.repeat(15) }] },
          { imeis: [{ slot_index: 0, imei: '3'.repeat(14) }] },
          'imeis.0.imei',
        ],
        [{ os: 'Ændroid' }, { os: 'nul \u0000' }, 'os'],
      ]
      for (const [good, bad, path] of edges) {
        const { telemetry_time = now } = good
        const kept = report(good)
        const { body } = await upload([{ telemetry_id: kept.telemetry_id, telemetry_time, document: kept }])
        assert.deepEqual(body.telemetry, [{ telemetry_id: kept.telemetry_id, status: 'stored' }], path)
        assert.deepEqual(await outcomes(report(bad)), [`failed malformed_meta ${path}`])
      }
    })

    it('rejects a report sealed for another key, client, kind, id or time', async () => {
      const { telemetry_id, ...rest } = report()
      const document = { telemetry_id, ...rest }
      const failure = async (...given: Parameters<typeof upload>) =>
        ((await upload(...given)).body.telemetry as { reason?: string }[])[0]?.reason
      const stranger = (await newKeyPair()).publicKeyPem
      assert.equal(await failure([{ telemetry_id, document }], { kek: stranger }), 'undecryptable_key')
      assert.equal(await failure([{ telemetry_id, document }], { key_id: ulid() }), 'undecryptable_key')
      const [{ key_id, public_key } = { key_id: '', public_key: '' }] = await fixture.sql<{
        key_id: string
        public_key: string
      }>(`select key_id, public_key from client_keys join clients using (client_id) where client = 'globex'`)
      assert.equal(
        await failure([{ telemetry_id, document }], { key_id, kek: public_key }),
        'undecryptable_key',
        'the key of another client',
      )
      assert.equal(await failure([{ telemetry_id, document, client: 'globex' }]), 'undecryptable_meta')
      assert.equal(await failure([{ telemetry_id, document, kind: 'position' }]), 'undecryptable_meta')
      assert.equal(await failure([{ telemetry_id: LIMIT_ID(), document }]), 'meta_mismatch')
      assert.equal(await failure([{ telemetry_id, telemetry_time: now + 1, document }]), 'meta_mismatch')
      assert.equal(await failure([{ telemetry_id, document: 7 }]), 'malformed_meta')
      const deep = JSON.parse(`${'['.repeat(17)}${']'.repeat(17)}`) as unknown
      assert.equal(await failure([{ telemetry_id, document: deep }]), 'malformed_meta')
      assert.equal(await failure([{ telemetry_id, document: Array(50_001).fill(0) }]), 'malformed_meta')
      assert.equal(await codeOf(opened(fixture.alice, telemetry_id)), 'not_found', 'nothing was stored')
    })

    it('accepts 1 to 100 reports in a call, none too large and no id twice', async () => {
      const many = (length: number) =>
        Array.from({ length }, () => report({ model: 'Hundred' })).map((document) => ({
          telemetry_id: document.telemetry_id,
          document,
        }))
      assert.equal((await upload(many(100))).status, 200)
      assert.equal((await upload(many(101))).status, 400)
      assert.equal((await upload([])).status, 400)
      const [one] = many(1)
      assert.ok(one)
      assert.equal((await upload([one, one])).status, 400)
      const padded = (size: number) => {
        const document = report({ wifi_name: '' })
        const room = size - Buffer.byteLength(JSON.stringify(document))
        return { ...document, padding: 'x'.repeat(room - '"padding":"",'.length) }
      }
      const largest = padded(REPORT_SIZE_LIMIT)
      // The size is accepted: the failure is an unknown field, so the report was opened.
      assert.deepEqual(await outcomes(largest), ['failed malformed_meta padding'])
      const larger = padded(REPORT_SIZE_LIMIT + 3)
      assert.equal((await upload([{ telemetry_id: larger.telemetry_id, document: larger }])).status, 400)
    })
  })

  it('belongs to the device user who held the device at that time', async () => {
    await fixture.sql(
      `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
       select d.client_id, d.device_id, 1000, 2000, u.device_user_id, u.group_id from devices d, device_users u
       where d.device_reference = $1 and u.device_user_reference = 'João Almeida'`,
      [reference],
    )
    const inHisHands = report({ telemetry_time: 1500 })
    await harriet.telemetry([inHisHands])
    const south = await fixture.personWith(['South desk'])
    assert.deepEqual(idsOf(await listed(south)), [inHisHands.telemetry_id])
    assert.equal((await opened(south, inHisHands.telemetry_id)).device_user_reference, 'João Almeida')
    const north = await fixture.personWith(['North desk'])
    assert.equal(await codeOf(opened(north, inHisHands.telemetry_id)), 'not_found')
    assert.ok(!idsOf(await listed(north, { limit: 200 })).includes(inHisHands.telemetry_id))
    const newest = idsOf(await listed(north))[0] ?? ''
    assert.equal(await codeOf(opened(south, newest)), 'not_found')
    const series = (person: Person, from: string, to: string) =>
      person.api.readTelemetrySeries({ params: { device_reference: reference }, query: { from, to } })
    assert.equal((await series(south, '1970-01-01-001500', '1970-01-02')).data.length, 1)
    assert.equal((await series(north, '1970-01-01-001500', '1970-01-02')).data.length, 0)
    assert.equal(await codeOf(series(south, '2000-01-01', '2000-01-02')), 'not_found')
  })

  it('is hidden from users of other groups, and users with the list permission cannot open it', async () => {
    const south = await fixture.personWith(['South desk'])
    assert.ok((await all({ limit: 200 }, south)).every(({ group }) => group === 'South'))
    assert.equal(await codeOf(listed(south, {}, 'no such phone')), 'not_found')
    await fixture.giveRole('Lists', [allow('devices.telemetry:list')])
    const lists = await fixture.personWith(['Lists'])
    const [row] = await listed(lists)
    assert.ok(row)
    assert.equal(await codeOf(opened(lists, row.telemetry_id)), 'not_permitted')
    assert.equal(await codeOf(all({}, lists)), 'not_permitted')
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
      assert.deepEqual(idsOf(await all({ model: 'Narrow', concerns: [concern] })), [telemetry_id], concern)
    assert.equal((await all({ model: 'Narrow', concerns: ['low_battery', 'no_calls'] })).length, 2)
    for (const query of [{ os_version: '17' }, { app_version: '5' }])
      assert.deepEqual(idsOf(await all({ model: 'Narrow', ...query })), [quiet.telemetry_id])
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
    const device = await fixture.alice.api.readDevice({ params: { device_reference: reference }, query: {} })
    assert.deepEqual([device.os_version, device.app_version], ['17', '5.0.0'])
    const { app_versions } = await fixture.alice.api.readDashboard({})
    assert.ok(app_versions.some(({ version }) => version === '5.0.0'))
    await harriet.telemetry([report({ telemetry_time: now - 5 * DAY, os_version: '12' })])
    const still = await fixture.alice.api.readDevice({ params: { device_reference: reference }, query: {} })
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

  it('is reassigned when a waiting device is confirmed', async () => {
    // Two devices are expected.
    await (await open('Harriet', { spare: 1 })).authenticate()
    const third = await open('Harriet', { spare: 2 })
    const { device_reference } = await third.authenticate()
    const waited = report({ model: 'While it waited' })
    await third.telemetry([waited])
    const north = await fixture.personWith(['North desk'])
    assert.equal(await codeOf(listed(north, {}, device_reference)), 'not_found')
    assert.equal((await all({ latest: true, model: 'While it waited' }, north)).length, 0)
    await fixture.alice.api.confirmDeviceHolder({
      params: { device_reference },
      query: {},
      body: { decision: 'confirm' },
    })
    await reassignClient(
      fixture.server.ctx,
      await fixture.server.idOf('acme'),
      new AbortController().signal,
      1,
    )
    const [row] = await all({ latest: true, model: 'While it waited' }, north)
    assert.deepEqual([row?.group, row?.device_user_reference], ['North', 'Harriet Cole'])
    assert.equal((await opened(north, waited.telemetry_id, device_reference)).group, 'North')
  })

  describe('telemetry for provider staff', () => {
    let erin: Person
    before(async () => {
      erin = await openPerson(fixture.server, 'admin', 'erin')
    })

    it('contains the newest report of each device, of all clients or of one, as device facts', async () => {
      const gina = await demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, 'Tom')
      await gina.authenticate()
      await gina.telemetry([report({ ...FULL, model: 'At globex' })])
      const page = await erin.api.listTelemetryOfClients({ query: {} })
      assert.ok('data' in page)
      assert.ok(new Set(page.data.map(({ client }) => client)).size > 1)
      assert.deepEqual(Object.keys(page.data[0] ?? {}).toSorted(), [
        'client',
        'device_reference',
        'facts',
        'received_at',
        'telemetry_time',
      ])
      const one = await erin.api.listTelemetryOfClient({ params: { client: 'globex' }, query: {} })
      assert.ok('data' in one && one.data.every(({ client }) => client === 'globex'))
      const first = await erin.api.listTelemetryOfClients({ query: { limit: 1 } })
      assert.ok('data' in first && first.last_key)
      const second = await erin.api.listTelemetryOfClients({ query: { limit: 1, last_key: first.last_key } })
      assert.ok('data' in second && second.data[0]?.device_reference !== first.data[0]?.device_reference)
      const total = { type: 'total' as const, model: 'At globex', clients: ['globex'] }
      assert.deepEqual(await erin.api.listTelemetryOfClients({ query: total }), { total: 1 })
      assert.equal(
        await codeOf(erin.api.listTelemetryOfClient({ params: { client: 'unknown' }, query: {} })),
        'not_found',
      )
    })

    it('never contains personal data, also not in a device reference', async () => {
      const phone = await open('Harriet', { spare: 3 })
      const made = (await phone.authenticate()).device_reference
      await fixture.sql(
        `update devices set device_reference = 'Harriet +447700900777' where device_reference = $1`,
        [made],
      )
      await phone.telemetry([report({ ...FULL, model: 'Named' })])
      const page = await erin.api.listTelemetryOfClients({ query: { model: 'Named' } })
      assert.ok('data' in page && page.data.length === 1)
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
      assert.equal(await codeOf(all({}, erin)), 'not_permitted')
    })
  })

  it('is stored in monthly partitions, which are dropped when they are over and empty', async () => {
    const { db } = fixture.server.ctx
    const { signal } = new AbortController()
    const begin = Date.UTC(2090, 5, 1) / 1000
    await makeMonths(db, TELEMETRY_TABLE, begin, signal)
    const far = report({ telemetry_time: begin + 5 * DAY })
    await joao.telemetry([far])
    const partitions = async () =>
      (
        await fixture.sql<{ name: string }>(
          `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'telemetry'::regclass`,
        )
      ).map(({ name }) => name)
    const [stored] = await fixture.sql<{ name: string }>(
      'select tableoid::regclass::text as name from telemetry where telemetry_id = $1',
      [far.telemetry_id],
    )
    assert.equal(stored?.name, 'telemetry_2090_06')
    await dropEmptyMonths(db, TELEMETRY_TABLE, Date.UTC(2091, 0, 1) / 1000, signal)
    const left = await partitions()
    assert.ok(left.includes('telemetry_2090_06') && !left.includes('telemetry_2090_07'))
    await fixture.sql('delete from telemetry where telemetry_id = $1', [far.telemetry_id])
    await dropEmptyMonths(db, TELEMETRY_TABLE, Date.UTC(2091, 0, 1) / 1000, signal)
    assert.ok(!(await partitions()).includes('telemetry_2090_06'))
  })

  it('cannot be altered, deleted or read directly from a partition', async () => {
    const { db } = fixture.server.ctx
    const client_id = await fixture.server.idOf('acme')
    for (const sql of [
      'select from telemetry_default',
      'delete from telemetry_default',
      `update telemetry set facts = '{}'`,
    ])
      await assert.rejects(
        db.write(client_id, (tx) => tx.query(sql)),
        /permission denied/,
      )
  })
})

describe('a device that sends too much telemetry', () => {
  it('is rate limited by count and size, while nothing is stored in part', async () => {
    const fixture = await accessFixture({ RATE_DEVICE_REPORTS: '1/3' })
    try {
      const { dataDir } = fixture.server.ctx.config
      const phone = (name: string) =>
        demoPhone(dataDir, fixture.server.url, name, { retry: { tries: 1 }, store: memoryStore() })
      const [one, other] = [await phone('Harriet'), await phone('João')]
      await one.authenticate()
      const report = (more: Partial<Telemetry> = {}): Telemetry => ({
        telemetry_id: `${ulid()}-${ulid()}`,
        telemetry_time: 1,
        timezone: 'UTC',
        os_version: '16',
        model: 'm',
        app_version: '4',
        ...more,
      })
      await one.telemetry([report(), report(), report()])
      assert.equal(await codeOf(one.telemetry([report(), report()])), 'too_many_requests')
      // A large report counts several times.
      const large = report({
        installed_applications: Array.from({ length: 200 }, (_, i) => ({ package_name: `${i}`.repeat(30) })),
      })
      await other.telemetry([report()])
      assert.equal(await codeOf(other.telemetry([large])), 'too_many_requests')
      const stored = await fixture.sql('select from telemetry')
      assert.equal(stored.length, 4, 'the refused call stored nothing')
    } finally {
      await fixture.close()
    }
  })
})
