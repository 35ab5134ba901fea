import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { GpsMeta, GpsPoint } from '@custodia/contract'
import type { Phone } from '@custodia/device-sdk'
import { newDek, newKeyPair, sealMeta, wrapDek } from '@custodia/envelope'
import { ulid } from 'ulid'
import {
  type AccessFixture,
  accessFixture,
  allow,
  codeOf,
  type Person,
  problemOf,
} from '../../testing/access-fixture.ts'
import { demoPhone } from '../../testing/phones.ts'
import { dropEmptyMonths, makeMonths } from '../../ports/database/partitions.ts'
import { reassignClient } from '../reassign.ts'
import { GPS_TABLE } from './point-store.ts'

const DAY = 86_400
const OF_GPS = ['gps:list', 'devices.gps:list', 'users.gps:list', 'devices:read']

describe('device positions', () => {
  let fixture: AccessFixture
  let harriet: Phone
  let joao: Phone
  let reference: string
  let ofJoao: string
  let now: number
  before(async () => {
    fixture = await accessFixture()
    harriet = await open('Harriet')
    joao = await open('João')
    reference = (await harriet.authenticate()).device_reference
    ofJoao = (await joao.authenticate()).device_reference
    now = fixture.server.ctx.now()
    for (const group of ['North', 'South'])
      await fixture.giveRole(`${group} desk`, [
        { actions_matching: OF_GPS, conditions: [{ names_matching: [group] }] },
      ])
  })
  after(() => fixture?.close())

  const open = (name: string, more: object = {}) =>
    demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, name, more)
  const at = (timestamp: number, more: Partial<GpsMeta> = {}): GpsMeta => ({
    gps_reference: ulid(),
    timestamp,
    latitude: 51.5074,
    longitude: -0.1278,
    accuracy: 12.5,
    altitude: 35,
    timezone: 'Europe/London',
    provider: 'fused',
    ...more,
  })
  const statuses = async (phone: Phone, positions: readonly GpsMeta[]) =>
    (await phone.locate(positions)).map(({ status }) => status)
  const track = async (person: Person, query: object = {}, device_reference = reference) => {
    const answer = await person.api.listGpsOfDevice({ params: { device_reference }, query })
    assert.ok('data' in answer)
    return answer.data
  }
  const last = async (person: Person, query: object = {}): Promise<GpsPoint[]> => {
    const answer = await person.api.listLastPositions({ query })
    assert.ok('data' in answer)
    return answer.data
  }

  it('are stored with their device user and group, and returned as they were sent', async () => {
    const position = at(now)
    assert.deepEqual(await statuses(harriet, [position]), ['stored'])
    const [row] = await track(fixture.alice)
    assert.deepEqual(
      { ...row, received_at: 0 },
      {
        ...position,
        client: 'acme',
        device_reference: reference,
        device_user_reference: 'Harriet Cole',
        group: 'North',
        received_at: 0,
      },
    )
  })

  it('are encrypted at rest with a key for each device and day', async () => {
    await harriet.locate([at(now - 2 * DAY, { latitude: 12.345678 }), at(now - 2 * DAY)])
    await joao.locate([at(now - 2 * DAY)])
    const day = Math.floor((now - 2 * DAY) / DAY)
    const keys = await fixture.sql<{ device_reference: string }>(
      `select device_reference from gps_keys join devices using (client_id, device_id) where day = $1 order by 1`,
      [day],
    )
    assert.deepEqual(
      keys.map((key) => key.device_reference),
      [reference, ofJoao].toSorted(),
    )
    const [text] = await fixture.sql<{ text: string }>(
      `select string_agg(p::text || encode(sealed, 'escape'), ' ') as text from gps_points p`,
    )
    for (const secret of ['12.345678', 'latitude', 'fused', 'Europe/London'])
      assert.ok(!text?.text.includes(secret), secret)
    // Without its key a position shows only device and time. Positions of other days stay readable.
    await fixture.sql(
      `update gps_keys set wrapped_key = null where day = $1 and device_id = (select device_id from devices where device_reference = $2)`,
      [day, reference],
    )
    const gone = await track(fixture.alice, { from: date(now - 2 * DAY), to: date(now - 2 * DAY) })
    assert.deepEqual(
      gone.map(({ latitude, group }) => [latitude, group]),
      [
        [null, 'North'],
        [null, 'North'],
      ],
    )
    assert.ok((await track(fixture.alice)).some(({ latitude }) => latitude !== null))
    // A later position of that day gets a new key; the device must retry once.
    const late = at(now - 2 * DAY + 1)
    assert.deepEqual(await statuses(harriet, [late]), ['stored'])
    const [first] = await track(fixture.alice, { from: date(now - 2 * DAY), to: date(now - 2 * DAY) })
    assert.equal(first?.latitude, late.latitude)
  })

  it('use the key of their own day when one upload contains several days', async () => {
    await harriet.locate([6, 7, 8].map((days) => at(now - days * DAY)))
    const rows = await fixture.sql<{ timestamp: number; day: number }>(
      'select p.timestamp, k.day from gps_points p join gps_keys k using (client_id, key_id) order by p.timestamp',
    )
    assert.ok(new Set(rows.map(({ day }) => day)).size > 3)
    for (const { timestamp, day } of rows) assert.equal(Number(day), Math.floor(Number(timestamp) / DAY))
  })

  it('cannot be decrypted in another row', async () => {
    const [one, two] = [at(now - 3 * DAY, { latitude: 1 }), at(now - 3 * DAY, { latitude: 2 })]
    await harriet.locate([one, two])
    await fixture.sql(
      `update gps_points set sealed = (select sealed from gps_points where gps_reference = $1) where gps_reference = $2`,
      [one.gps_reference, two.gps_reference],
    )
    const found = await track(fixture.alice, { from: date(now - 3 * DAY), to: date(now - 3 * DAY) })
    assert.equal(found.find((each) => each.gps_reference === one.gps_reference)?.latitude, 1)
    assert.equal(found.find((each) => each.gps_reference === two.gps_reference)?.latitude, null)
  })

  it('are stored once, and a different position with the same id is a conflict', async () => {
    const [one, other] = [at(now - 10), at(now - 11)]
    await harriet.locate([one])
    assert.deepEqual(await statuses(harriet, [one, other]), ['stored', 'stored'])
    const altered = { ...one, latitude: 0 }
    assert.deepEqual(await statuses(harriet, [altered]), ['conflict'])
    // The same id on another device is another position, so no device can block another's ids.
    assert.deepEqual(await statuses(joao, [altered]), ['stored'])
    const all = await track(fixture.alice, { limit: 200 })
    assert.deepEqual(
      all.filter(({ gps_reference }) => gps_reference === one.gps_reference).map(({ latitude }) => latitude),
      [one.latitude],
    )
  })

  it('are all stored once by parallel uploads, and only one of several conflicting positions is kept', async () => {
    const many = Array.from({ length: 60 }, (_, i) => at(now - 5 * DAY + i))
    const answers = await Promise.all(Array.from({ length: 5 }, () => statuses(harriet, many)))
    assert.ok(answers.flat().every((status) => status === 'stored'))
    const one = at(now - 5 * DAY + 100)
    const rivals = await Promise.all([1, 2, 3].map((latitude) => statuses(harriet, [{ ...one, latitude }])))
    assert.deepEqual(rivals.flat().toSorted(), ['conflict', 'conflict', 'stored'])
    assert.equal(
      (await track(fixture.alice, { limit: 200, from: date(now - 5 * DAY), to: date(now - 5 * DAY) })).length,
      61,
    )
  })

  it('report a reason when they cannot be opened, and do not block others', async () => {
    const { client, ...key } = await harriet.key()
    const good = at(now - 20)
    const dek = newDek()
    const sealed = (position: object, gps_reference = good.gps_reference) => ({
      gps_reference,
      timestamp: good.timestamp,
      ...sealMeta(dek, { client, payload_reference: gps_reference, kind: 'position' }, position),
    })
    const [a, b, c, d] = [ulid(), ulid(), ulid(), ulid()]
    const points = [
      sealed(good),
      { ...sealed({ ...good, gps_reference: a }, a), iv: sealed(good).iv },
      sealed({ ...good, gps_reference: b, latitude: 91 }, b),
      sealed({ ...good, gps_reference: c, timestamp: 1 }, c),
      // Sealed for another id.
      { ...sealed(good), gps_reference: d },
    ]
    const send = (body: object) =>
      fetch(`${fixture.server.url}/device/v1/gps`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const { access_token: token } = await harriet.authenticate()
    const batch = { key_id: key.key_id, encrypted_dek: wrapDek(key.kek, dek), points }
    const answer = (await (await send(batch)).json()) as { points: { status: string; reason?: string }[] }
    assert.deepEqual(
      answer.points.map(({ status, reason }) => reason ?? status),
      ['stored', 'undecryptable_meta', 'malformed_meta', 'meta_mismatch', 'undecryptable_meta'],
    )
    const stranger = await newKeyPair()
    for (const wrong of [
      { ...batch, key_id: 'no such key' },
      { ...batch, encrypted_dek: wrapDek(stranger.publicKeyPem, dek) },
    ]) {
      const refused = (await (await send(wrong)).json()) as { points: { reason?: string }[] }
      assert.deepEqual([...new Set(refused.points.map(({ reason }) => reason))], ['undecryptable_key'])
    }
    const twice = await send({ ...batch, points: [points[0], points[0]] })
    assert.equal(twice.status, 400, 'twice in one call')
  })

  it('belong to the device user who held the device at that time', async () => {
    await fixture.sql(
      `insert into device_history (client_id, device_id, from_at, to_at, device_user_id, group_id)
       select d.client_id, d.device_id, 1000, 2000, u.device_user_id, u.group_id from devices d, device_users u
       where d.device_reference = $1 and u.device_user_reference = 'João Almeida'`,
      [reference],
    )
    const position = at(1500)
    await harriet.locate([position])
    const south = await fixture.personWith(['South desk'])
    const north = await fixture.personWith(['North desk'])
    const ofThen = { from: '1970-01-01', to: '1970-01-02' }
    assert.deepEqual(
      (await track(south)).map((each) => each.gps_reference),
      [position.gps_reference],
    )
    assert.deepEqual(await track(north, ofThen), [])
    const params = { device_user_reference: 'João Almeida' }
    assert.equal(await codeOf(north.api.listGpsOfUser({ params, query: {} })), 'not_found')
    const page = await south.api.listGpsOfUser({ params, query: ofThen })
    assert.ok('data' in page && page.data[0]?.gps_reference === position.gps_reference)
    // Each administrator sees the last position within their own groups.
    const inSouth = (await last(south)).find((each) => each.device_reference === reference)
    assert.equal(inSouth?.gps_reference, position.gps_reference)
    const inNorth = (await last(north)).find((each) => each.device_reference === reference)
    assert.equal(inNorth?.timestamp, now)
    assert.equal((await last(fixture.alice)).filter((each) => each.device_reference === reference).length, 1)
  })

  it('are hidden from users of other groups or without permission', async () => {
    const stranger = await fixture.personWith(['South desk'])
    assert.equal(await codeOf(track(stranger, {}, 'no such phone')), 'not_found')
    assert.ok((await last(stranger)).every(({ group }) => group === 'South'))
    await fixture.giveRole('Nothing', [allow('devices:read')])
    const unprivileged = await fixture.personWith(['Nothing'])
    assert.equal(await codeOf(track(unprivileged)), 'not_permitted')
    assert.equal(await codeOf(last(unprivileged)), 'not_permitted')
    assert.equal(await codeOf(track(fixture.gina)), 'not_found')
  })

  it('are listed as last positions by the newest time, without times far in the future', async () => {
    const before = (await last(fixture.alice, { device_reference: ofJoao }))[0]
    await joao.locate([at(now + 30 * DAY), at(now - DAY)])
    assert.deepEqual((await last(fixture.alice, { device_reference: ofJoao }))[0], before)
    const newest = at(now + 60)
    await joao.locate([newest])
    const [found] = await last(fixture.alice, { device_user_reference: 'João Almeida' })
    assert.equal(found?.gps_reference, newest.gps_reference)
    assert.deepEqual(await last(fixture.alice, { groups: ['North'], device_reference: ofJoao }), [])
    assert.deepEqual(await fixture.alice.api.listLastPositions({ query: { type: 'total' } }), { total: 2 })
  })

  it('are listed page by page without loss', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => at(now - 20 * DAY + Math.floor(i / 3)))
    assert.ok((await statuses(joao, many)).every((status) => status === 'stored'))
    const seen: string[] = []
    const query = { limit: 300, from: date(now - 20 * DAY), to: date(now - 19 * DAY) }
    for (let last_key: string | undefined; ;) {
      const page = await fixture.alice.api.listGpsOfDevice({
        params: { device_reference: ofJoao },
        query: { ...query, ...(last_key && { last_key }) },
      })
      assert.ok('data' in page)
      seen.push(...page.data.map(({ gps_reference }) => gps_reference))
      last_key = page.last_key
      if (!last_key) break
    }
    assert.deepEqual(seen.toSorted(), many.map(({ gps_reference }) => gps_reference).toSorted())
  })

  it('are reassigned when a waiting device is confirmed', async () => {
    await (await open('Harriet', { spare: 1 })).authenticate()
    const third = await open('Harriet', { spare: 2 })
    const { device_reference } = await third.authenticate()
    await third.locate([at(now), at(now - 5)])
    const north = await fixture.personWith(['North desk'])
    assert.equal(await codeOf(track(north, {}, device_reference)), 'not_found')
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
    const found = await track(north, {}, device_reference)
    assert.deepEqual(
      found.map((each) => [each.group, each.device_user_reference]),
      [
        ['North', 'Harriet Cole'],
        ['North', 'Harriet Cole'],
      ],
    )
    const [newest] = await last(north, { device_reference })
    assert.deepEqual([newest?.timestamp, newest?.latitude], [now, 51.5074])
  })

  it('are stored in monthly partitions, which are dropped when they are over and empty', async () => {
    const { db } = fixture.server.ctx
    const { signal } = new AbortController()
    const begin = Date.UTC(2090, 5, 1) / 1000
    await makeMonths(db, GPS_TABLE, begin, signal)
    const far = at(begin + 5 * DAY)
    await harriet.locate([far])
    const [stored] = await fixture.sql<{ name: string }>(
      `select tableoid::regclass::text as name from gps_points where gps_reference = $1`,
      [far.gps_reference],
    )
    assert.equal(stored?.name, 'gps_points_2090_06')
    const over = Date.UTC(2091, 0, 1) / 1000
    await dropEmptyMonths(db, GPS_TABLE, over, signal)
    const left = async () =>
      (
        await fixture.sql<{ name: string }>(
          `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'gps_points'::regclass`,
        )
      ).map(({ name }) => name)
    assert.ok((await left()).includes('gps_points_2090_06') && !(await left()).includes('gps_points_2090_07'))
    await fixture.sql(`delete from gps_points where gps_reference = $1`, [far.gps_reference])
    await dropEmptyMonths(db, GPS_TABLE, over, signal)
    assert.ok(!(await left()).includes('gps_points_2090_06'))
  })

  it('cannot be altered, deleted or read directly from a partition', async () => {
    const { db } = fixture.server.ctx
    const client_id = await fixture.server.idOf('acme')
    for (const sql of [
      'select from gps_points_default',
      'delete from gps_points_default',
      `update gps_points set sealed = ''`,
      'delete from gps_keys',
    ])
      await assert.rejects(
        db.write(client_id, (tx) => tx.query(sql)),
        /permission denied/,
      )
  })

  it('appear in audit entries without their coordinates', async () => {
    await track(fixture.alice)
    const read = await fixture.sql<{ parameters: string }>(
      `select parameters::text from portal_activities where action = 'devices.gps:list'`,
    )
    assert.ok(read.some(({ parameters }) => parameters.includes(reference)))
    const handed = await fixture.sql<{ parameters: string }>(
      `select parameters::text from device_activities where parameters::text like '%gps_reference%'`,
    )
    assert.ok(handed.length > 0)
    for (const { parameters } of handed)
      assert.doesNotMatch(parameters, /"(?:meta|encrypted_dek)": ?"[A-Za-z0-9+/]{8}/)
  })
})

const date = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10)

describe('a device that sends too many positions', () => {
  it('is rate limited, while nothing is stored in part and other devices are served', async () => {
    const fixture = await accessFixture({ RATE_DEVICE_REPORTS: '1/3' })
    try {
      const { dataDir } = fixture.server.ctx.config
      const [one, other] = [
        await demoPhone(dataDir, fixture.server.url, 'Harriet', { retry: { tries: 1 } }),
        await demoPhone(dataDir, fixture.server.url, 'João', { retry: { tries: 1 } }),
      ]
      await one.authenticate()
      const points = (count: number) =>
        Array.from({ length: count }, () => ({
          gps_reference: ulid(),
          timestamp: 1,
          latitude: 1,
          longitude: 1,
          timezone: 'UTC',
        }))
      await one.locate(points(3))
      const problem = await problemOf(one.locate(points(2)))
      assert.equal(problem.code, 'too_many_requests')
      assert.ok((problem.retry_after ?? 0) >= 1)
      assert.equal((await other.locate(points(3))).length, 3)
      assert.equal((await fixture.sql('select from gps_points')).length, 6, 'the refused call stored nothing')
    } finally {
      await fixture.close()
    }
  })
})
