import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Dashboard, Device } from '@custodia/contract'
import { recordHolder } from '../device-records/store.ts'
import { type AccessFixture, accessFixture } from '../testing/access-fixture.ts'
import { demoPhone, getMessage, getRecording } from '../testing/phones.ts'
import { type TestServer, testServer } from '../testing/server.ts'
import { getId } from '../testing/test-context.ts'
import { deactivateSilent, noteSilences } from './silence-store.ts'
import { deactivateInactive, deactivateInactiveOf, watchSilence, watchSilenceOf } from './silence.ts'

const HOUR = 3600
const DAY = 24 * HOUR

describe('silent devices', () => {
  let fixture: AccessFixture
  let acme: number
  const signal = new AbortController().signal
  before(async () => {
    fixture = await accessFixture({}, { hasWorker: true })
    acme = await getId(fixture.server.ctx.db, 'acme')
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
    fixture.alice.api.readDevice({ params: { device_reference } })
  const getSilence = async (device_reference: string) => {
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
      return tx.value<string | null>('select silence from devices where device_reference = $1', [
        device_reference,
      ])
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
    assert.deepEqual(await readState(device_reference), ['Triggered Medium device_no_uploads 1'])
    await phone.record(getRecording('SMS', getMessage('at last')).recording)
    await phone.sync()
    await look()
    assert.deepEqual(await readState(device_reference), ['Cleared Medium device_no_uploads 1'])
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
      deactivated: (device_reference) => fixture.alice.api.deactivateDevice({ params: { device_reference } }),
      blocked: (device_reference) => fixture.alice.api.blockDevice({ params: { device_reference } }),
      deleted: (device_reference) => fixture.alice.api.deleteDevice({ params: { device_reference } }),
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
      assert.equal(await getSilence(reference), 'long_silent', `silent before it is ${name}`)
      await enter(reference)
      await look()
      assert.equal(await getSilence(reference), null, name)
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
      const { silences } = (await api.readDashboard({})) as Dashboard
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

const DAYS = 30

describe('inactive devices', () => {
  let server: TestServer
  let acme: { client_id: number; client: string }
  const signal = new AbortController().signal
  before(async () => {
    server = await testServer()
    acme = { client_id: await getId(server.ctx.db, 'acme'), client: 'acme' }
  })
  after(() => server?.close())

  const open = (name: string) => demoPhone(server.ctx.config.dataDir, server.url, name)
  const activate = async (name: string) => (await (await open(name)).authenticate()).device_reference
  /** Makes the device silent for so long in database time. */
  const silence = (device_reference: string, seconds: number) =>
    server.sql(
      `update devices set last_seen = floor(extract(epoch from now())) - $2 where device_reference = $1`,
      [device_reference, seconds],
    )
  const getState = async (device_reference: string) => {
    const [row] = await server.sql<{ is_deactivated: boolean; updated_by: string }>(
      'select is_deactivated, updated_by from devices where device_reference = $1',
      [device_reference],
    )
    return row
  }
  const entries = () =>
    server.sql<{ device_reference: string; device_user_reference: string; parameters: string }>(
      `select device_reference, device_user_reference, parameters from device_activities where action = 'inactivity' order by log_id`,
    )

  it('are deactivated right after the inactivity period, not a second earlier', async () => {
    const reference = await activate('Harriet')
    const atSilence = (seconds: number) =>
      server.ctx.db.write(acme.client_id, async (tx) => {
        await tx.query(
          `update devices set last_seen = floor(extract(epoch from now())) - $2 where device_reference = $1`,
          [reference, seconds],
        )
        return deactivateSilent(tx, { silent_for: DAYS * DAY, after: 0, most: 10 })
      })
    assert.deepEqual(await atSilence(DAYS * DAY), [])
    const [silenced] = await atSilence(DAYS * DAY + 1)
    assert.equal(silenced?.device_reference, reference)
    assert.deepEqual(await getState(reference), { is_deactivated: true, updated_by: 'inactivity' })
    const tokens = await server.sql(
      'select from device_tokens join devices using (client_id, device_id) where device_reference = $1',
      [reference],
    )
    assert.equal(tokens.length, 0)
    assert.equal(await activate('Harriet'), reference)
    assert.equal((await getState(reference))?.is_deactivated, false, 'a new authentication reactivates it')
  })

  it('are recorded in the audit log in batches, also after an interrupted run', async () => {
    const references: string[] = []
    for (const name of ['Harriet', 'Imran', 'Molly', 'João', 'Beatriz']) references.push(await activate(name))
    for (const reference of references) await silence(reference, DAYS * DAY + 60)
    const controller = new AbortController()
    const { db, audit, config } = server.ctx
    let batches = 0
    const counted = {
      audit,
      config,
      db: new Proxy(db, {
        get: (target, key) => {
          if (key !== 'write') return Reflect.get(target, key) as unknown
          return (...args: Parameters<typeof db.write>) =>
            target.write(...args).finally(() => ++batches === 1 && controller.abort())
        },
      }),
    }
    await assert.rejects(deactivateInactiveOf(counted, acme, controller.signal, 2))
    assert.equal((await entries()).length, 2)
    await deactivateInactiveOf(server.ctx, acme, signal, 2)
    const result = await entries()
    assert.deepEqual(result.map((each) => each.device_reference).toSorted(), references.toSorted())
    assert.ok(result.every((each) => each.device_user_reference !== null))
    assert.deepEqual(JSON.parse(result[0]?.parameters ?? ''), {
      body: { device_reference: result[0]?.device_reference, days: DAYS },
    })
    await deactivateInactive.run(server.ctx, {}, signal)
    assert.equal((await entries()).length, references.length, 'a second run changes nothing')
  })

  it('exclude devices that still call, were never seen, or are deleted', async () => {
    const phone = await open('Harriet')
    const { device_reference } = await phone.authenticate()
    await silence(device_reference, DAYS * DAY + 60)
    await phone.record(getRecording('SMS', getMessage('after a month')).recording)
    await phone.sync({ patience: 0 })
    const never = await activate('Imran')
    const deleted = await activate('Molly')
    await server.sql('update devices set last_seen = null, activated_at = null where device_reference = $1', [
      never,
    ])
    await silence(deleted, DAYS * DAY + 60)
    await server.sql('update devices set deleted_at = 1 where device_reference = $1', [deleted])
    const before = await entries()
    await deactivateInactive.run(server.ctx, {}, signal)
    assert.deepEqual(await entries(), before)
    assert.equal((await getState(device_reference))?.is_deactivated, false)
  })
})
