import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Dashboard, Device } from '@custodia/contract'
import { type AccessFixture, accessFixture } from '../testing/access-fixture.ts'
import { demoPhone, messageOf, recordingOf } from '../testing/phones.ts'
import { idOf } from '../testing/test-context.ts'
import { recordHolder } from '../device-records/store.ts'
import { noteSilences } from './silence-store.ts'
import { watchSilence, watchSilenceOf } from './silence.ts'

const HOUR = 3600
const DAY = 24 * HOUR

describe('silent devices', () => {
  let fixture: AccessFixture
  let acme: number
  const signal = new AbortController().signal
  before(async () => {
    fixture = await accessFixture({}, { hasWorker: true })
    acme = await idOf(fixture.server.ctx.db, 'acme')
    // Long ago, so that only the devices' own times count.
    await fixture.sql('update device_users set onboard_date = 1')
  })
  after(() => fixture?.close())

  const open = (name: string, spare = 0) =>
    demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, name, { spare })
  const activate = async (name: string, spare = 0) =>
    (await (await open(name, spare)).authenticate()).device_reference
  /** Sets database times in the past. */
  const past = (device_reference: string, ago: { seen?: number; awake?: number; uploaded?: number }) =>
    fixture.sql(
      `with clock as (select floor(extract(epoch from now()))::bigint as now), brought as (
         update device_baselines r set last_payload_at = now - coalesce($4::bigint, 0) from clock, devices d
         where d.device_id = r.device_id and d.device_reference = $1
       )
       update devices set last_seen = now - coalesce($2::bigint, 0), awake_since = now - coalesce($3::bigint, 0) from clock where device_reference = $1`,
      [device_reference, ago.seen, ago.awake ?? ago.uploaded, ago.uploaded],
    )
  const read = (device_reference: string): Promise<Device> =>
    fixture.alice.api.readDevice({ params: { device_reference }, query: {} })
  const silenceOf = async (device_reference: string) => {
    const [row] = await fixture.sql<{ silence: string | null }>(
      'select silence from devices where device_reference = $1',
      [device_reference],
    )
    return row?.silence
  }
  const look = () => watchSilence.run(fixture.server.ctx, {}, signal)
  const readState = async (device_reference: string): Promise<string[]> => {
    const rows = await fixture.sql<{ stated: string }>(
      `select alert_state || ' ' || alert_severity || ' ' || (alert_text->>'code') || ' ' || occurrence_count as stated from alerts
       where alert_type = 'DeviceAlert' and related_entities->0->>'entity_id' = $1 order by alert_key`,
      [device_reference],
    )
    return rows.map(({ stated }) => stated)
  }
  /** Reads the silence within one database moment; the server's own job may run a second later. */
  const notedAt = (device_reference: string, seen: number) =>
    fixture.server.ctx.db.write(acme, async (tx) => {
      await tx.query(
        `update devices set last_seen = floor(extract(epoch from now())) - $2 where device_reference = $1`,
        [device_reference, seen],
      )
      await noteSilences(tx, { after: 0, most: 100 })
      const { rows } = await tx.query<{ silence: string | null }>(
        'select silence from devices where device_reference = $1',
        [device_reference],
      )
      return rows[0]?.silence
    })

  it('are silent after one day and long silent after three days, not a second earlier', async () => {
    const reference = await activate('Harriet')
    assert.equal(await notedAt(reference, DAY - 1), null)
    assert.equal(await notedAt(reference, DAY), 'silent')
    assert.equal(await notedAt(reference, 3 * DAY - 1), 'silent')
    assert.equal(await notedAt(reference, 3 * DAY), 'long_silent')
    assert.equal(await notedAt(reference, 0), null)
  })

  it('raise one alert, with higher severity after three days, and again after a contact', async () => {
    const reference = await activate('Imran')
    await look()
    assert.deepEqual(await readState(reference), [])
    await past(reference, { seen: DAY + HOUR })
    await look()
    await look()
    assert.deepEqual(await readState(reference), ['Triggered Medium device_silent 1'])
    assert.equal((await read(reference)).silence, 'silent')
    await past(reference, { seen: 3 * DAY + HOUR })
    await Promise.all([look(), look()])
    assert.deepEqual(await readState(reference), ['Triggered High device_silent 2'])
    assert.equal(await activate('Imran'), reference)
    await look()
    assert.deepEqual(await readState(reference), ['Cleared High device_silent 2'])
    assert.equal((await read(reference)).silence, null)
    await past(reference, { seen: DAY + HOUR })
    await look()
    assert.deepEqual(await readState(reference), ['Triggered Medium device_silent 3'])
  })

  it('are silent but alive when they upload nothing for three times their usual gap', async () => {
    const phone = await open('Molly')
    const { device_reference } = await phone.authenticate()
    await past(device_reference, { awake: 7 * DAY - HOUR })
    await look()
    assert.equal((await read(device_reference)).silence, null, 'a new device has a week')
    await past(device_reference, { awake: 7 * DAY + HOUR })
    await look()
    assert.deepEqual(await readState(device_reference), ['Triggered Medium device_brings_nothing 1'])
    await phone.record(recordingOf('SMS', messageOf('at last')).recording)
    await phone.sync()
    await look()
    assert.deepEqual(await readState(device_reference), ['Cleared Medium device_brings_nothing 1'])
    assert.ok((await read(device_reference)).last_payload_at)
    // Its usual gap is within ten hours.
    await fixture.sql(`update device_baselines set gaps = 100000, squares = 100000 * 36000.0`)
    for (const [uploaded, silence] of [
      [29 * HOUR, null],
      [31 * HOUR, 'silent_but_alive'],
    ] as const) {
      await past(device_reference, { uploaded })
      await look()
      assert.equal((await read(device_reference)).silence, silence)
    }
    // A device with continuous uploads: a night is no silence.
    await fixture.sql(`update device_baselines set squares = gaps * 60`)
    await past(device_reference, { uploaded: DAY - HOUR })
    await look()
    assert.equal((await read(device_reference)).silence, null)
  })

  it('get time to upload after their return, and again after a change of holder', async () => {
    const reference = await activate('Nadia')
    await past(reference, { seen: 10 * DAY, uploaded: 10 * DAY })
    await look()
    assert.equal((await read(reference)).silence, 'long_silent')
    await activate('Nadia')
    await look()
    assert.equal((await read(reference)).silence, null, 'not reported immediately')
    await past(reference, { awake: 8 * DAY })
    await look()
    assert.equal((await read(reference)).silence, 'silent_but_alive')
    await fixture.server.ctx.db.write(acme, async (tx) => {
      const [device] = (
        await tx.query<{ device_id: number; group_id: number }>(
          'select device_id, group_id from devices where device_reference = $1',
          [reference],
        )
      ).rows
      assert.ok(device)
      const holder = { device_user_id: null, group_id: device.group_id }
      await recordHolder(tx, device.device_id, holder, Math.floor(Date.now() / 1000))
    })
    await look()
    assert.equal((await read(reference)).silence, null, 'another user has it')
  })

  it('exclude pending, deactivated, blocked, deleted and offboarded devices, and those with nothing to record', async () => {
    const states: Record<string, (reference: string) => Promise<unknown>> = {
      pending: (reference) =>
        fixture.sql('update devices set activated_at = null where device_reference = $1', [reference]),
      deactivated: (device_reference) =>
        fixture.alice.api.deactivateDevice({ params: { device_reference }, query: {} }),
      blocked: (device_reference) =>
        fixture.alice.api.blockDevice({ params: { device_reference }, query: {} }),
      deleted: (device_reference) =>
        fixture.alice.api.deleteDevice({ params: { device_reference }, query: {} }),
      offboarded: () =>
        fixture.sql(`update device_users set is_active = false where device_user_reference = 'João Almeida'`),
      idle: () =>
        fixture.sql(`update device_users set services = '{}' where device_user_reference = 'João Almeida'`),
      unlicensed: (reference) =>
        fixture.sql(`update devices set unlicensed_services = '{calls}' where device_reference = $1`, [
          reference,
        ]),
    }
    const reference = await activate('João')
    for (const [name, enter] of Object.entries(states)) {
      await fixture.sql(
        `with given as (update device_users set is_active = true, services = '{calls}' where device_user_reference = 'João Almeida')
         update devices set is_deactivated = false, blocked_at = null, activated_at = 1, deleted_at = null where device_reference = $1`,
        [reference],
      )
      await past(reference, { seen: 4 * DAY })
      await look()
      assert.equal(await silenceOf(reference), 'long_silent', `silent before it is ${name}`)
      await enter(reference)
      await look()
      assert.equal(await silenceOf(reference), null, name)
      assert.match((await readState(reference)).join(), /^Cleared/, name)
    }
    // Positions are no recordings.
    await fixture.sql(
      `with given as (update device_users set services = '{gps}' where device_user_reference = 'João Almeida')
       update devices set unlicensed_services = '{}' where device_reference = $1`,
      [reference],
    )
    await past(reference, { awake: 300 * DAY })
    await look()
    assert.equal((await read(reference)).silence, null)
  })

  it('are counted, and each count matches its list, in the reader’s groups', async () => {
    const harriet = await activate('Harriet')
    const beatriz = await activate('Beatriz')
    await past(harriet, { seen: 2 * DAY })
    await past(beatriz, { seen: 2 * DAY })
    await look()
    const inNorth = await fixture.personWith(['Compliance Manager'], ['North'])
    for (const { api } of [fixture.alice, inNorth]) {
      const { silences } = (await api.readDashboard({ query: {} })) as Dashboard
      for (const [silence, count] of Object.entries(silences)) {
        const query = { silences: [silence as 'silent'] }
        const { total } = (await api.listDevices({ query: { ...query, type: 'total' } })) as { total: number }
        const { data } = (await api.listDevices({ query })) as { data: Device[] }
        assert.deepEqual([total, data.length], [count, count], silence)
        assert.ok(data.every((each) => each.silence === silence))
      }
      const listed = (await api.listDevices({ query: { silences: ['silent'] } })) as { data: Device[] }
      const references = listed.data.map((each) => each.device_reference)
      assert.ok(references.includes(harriet))
      assert.equal(references.includes(beatriz), api === fixture.alice.api)
    }
  })

  it('all raise alerts when a run resumes after an interrupted run', async () => {
    const references = [await activate('Harriet', 1), await activate('Molly', 1), await activate('Oliver')]
    await look()
    for (const reference of references) await past(reference, { seen: 2 * DAY })
    const { db } = fixture.server.ctx
    const controller = new AbortController()
    const breaking = new Proxy(db, {
      get: (target, key) =>
        key === 'write'
          ? (...args: Parameters<typeof db.write>) => target.write(...args).finally(() => controller.abort())
          : (Reflect.get(target, key) as unknown),
    })
    await assert.rejects(watchSilenceOf({ db: breaking }, acme, controller.signal, 1))
    await watchSilenceOf({ db }, acme, signal, 1)
    for (const reference of references)
      assert.deepEqual(await readState(reference), ['Triggered Medium device_silent 1'])
  })
})
