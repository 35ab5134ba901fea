import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { GpsMeta, LastPosition } from '@custodia/contract'
import type { Phone } from '@custodia/device-sdk'
import { ulid } from 'ulid'
import { type Person, reportsFixture, getRows } from '../../testing/access-fixture.ts'

const DAY = 86_400
const OF_GPS = ['gps:list', 'devices.gps:list', 'users.gps:list', 'devices:read']

const fixture = await reportsFixture(OF_GPS)
after(() => fixture.close())
const { harriet, joao, reference, ofJoao, now } = fixture

describe('device positions', () => {
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
  const track = (person: Person, query: object = {}, device_reference = reference) =>
    getRows(person.api.listGpsOfDevice({ params: { device_reference }, query }))
  const last = (person: Person, query: object = {}): Promise<LastPosition[]> =>
    getRows(person.api.listLastPositions({ query }))

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

  it('are listed as last positions by the newest time, without times far in the future', async () => {
    await joao.locate([at(now)])
    const before = (await last(fixture.alice, { device_reference: ofJoao }))[0]
    await joao.locate([at(now + 30 * DAY), at(now - DAY)])
    assert.deepEqual((await last(fixture.alice, { device_reference: ofJoao }))[0], before)
    const newest = at(now + 60)
    await joao.locate([newest])
    const [found] = await last(fixture.alice, { device_user_reference: 'João Almeida' })
    assert.equal(found?.gps_reference, newest.gps_reference)
    assert.deepEqual(await last(fixture.alice, { groups: ['North'], device_reference: ofJoao }), [])
    // Once a device, also after it changed its group.
    await fixture.sql(
      `insert into gps_latest (client_id, device_id, group_id, timestamp, row_id) select client_id, device_id, n.group_id, timestamp - 60, row_id
       from gps_latest join devices using (client_id, device_id) join groups n using (client_id)
       where device_reference = $1 and n.group_reference = 'North'`,
      [ofJoao],
    )
    assert.equal((await last(fixture.alice, { device_reference: ofJoao })).length, 1)
    assert.deepEqual(await fixture.alice.api.listLastPositions({ query: { type: 'total' } }), { total: 2 })
  })

  it('are listed with state and numbers of the device, for readers of devices only', async () => {
    const [found] = await last(fixture.alice, { device_reference: ofJoao })
    assert.deepEqual([found?.device_state, found?.silence], ['activated', null])
    const device = await fixture.alice.api.readDevice({ params: { device_reference: ofJoao } })
    assert.deepEqual(
      found?.phone_numbers,
      device.phone_numbers.map(({ phone_number }) => phone_number),
    )
    await fixture.giveRole('South map', [{ actions_matching: ['gps:list'] }])
    const [unseen] = await last(await fixture.personWith(['South map']), { device_reference: ofJoao })
    assert.ok(unseen && !('device_state' in unseen) && !('phone_numbers' in unseen))
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
