import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { DeviceUser } from '@custodia/contract'
import type { Phone } from '@custodia/device-sdk'
import { type AccessFixture, accessFixture } from '../testing/access-fixture.ts'
import { demoPhone, getMessage, getRecording } from '../testing/phones.ts'
import { QUEUE_GRACE_SECONDS, watchOffboarded, watchStatuses } from './jobs.ts'
import { GRACE_SECONDS } from './status-store.ts'

let fixture: AccessFixture
before(async () => {
  fixture = await accessFixture({}, { hasWorker: true })
})
after(() => fixture?.close())

const HARRIET = 'Harriet Cole'
const of = (device_user_reference: string) => ({ params: { device_user_reference }, query: {} })
async function change(changes: Partial<DeviceUser>): Promise<void> {
  const user = await fixture.alice.api.readDeviceUser(of(HARRIET))
  const { group, services, expected_device_count, email, first_name, surname, is_active } = {
    ...user,
    ...changes,
  }
  const body = { group, services, expected_device_count, email, first_name, surname, is_active }
  await fixture.alice.api.updateDeviceUser({ ...of(HARRIET), body })
}
/** The alerts of Harriet's devices. */
async function readState(): Promise<string[]> {
  await watchStatuses.run(fixture.server.ctx, {}, new AbortController().signal)
  const rows = await fixture.sql<{ stated: string }>(
    `select alert_severity || ' ' || alert_scope || ': ' || (alert_text->>'code') || ' ' || occurrence_count as stated from alerts
     where alert_type = 'DeviceUserAlert' and not starts_with(alert_text->>'code', 'capture_') and related_entities->0->>'entity_id' = $1 order by stated`,
    [HARRIET],
  )
  return rows.map(({ stated }) => stated)
}
const phone = (spare: number) =>
  demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, 'Harriet', { spare })

describe('device user alerts', () => {
  it('report too few devices once, after a grace period', async () => {
    assert.deepEqual(await readState(), [])
    await fixture.sql(
      'update device_users set onboard_date = onboard_date - $2 where device_user_reference = $1',
      [HARRIET, GRACE_SECONDS],
    )
    const fewer = ['Low ops: user_has_fewer 1']
    assert.deepEqual(await readState(), fewer)
    assert.deepEqual(await readState(), fewer, 'an unchanged status raises no new alert')
  })

  it('report more devices than expected at once, and again after a correction', async () => {
    const first = await phone(0)
    await first.authenticate()
    const fewer = 'Low ops: user_has_fewer 1'
    assert.deepEqual(await readState(), [fewer])
    await (await phone(1)).authenticate()
    // Both devices were expected; a further device would wait for confirmation.
    await change({ expected_device_count: 1 })
    assert.deepEqual(await readState(), [fewer, 'Medium ops: user_has_more 1'])
    await change({ expected_device_count: 2 })
    await readState()
    await change({ expected_device_count: 0 })
    assert.deepEqual(
      await readState(),
      [fewer, 'Medium ops: user_has_more 2'],
      'the status was normal in between',
    )
    await change({ expected_device_count: 2 })
  })

  it('report payloads recorded after offboarding, not payloads recorded before it', async () => {
    const before = await readState()
    const carried = await phone(0)
    await carried.record(getRecording('SMS', getMessage('before')).recording)
    await change({ is_active: false })
    await carried.sync()
    assert.deepEqual(await readState(), before, 'recorded before')
    const now = Math.floor(Date.now() / 1000)
    await carried.record(getRecording('SMS', getMessage('after'), { payload_time: now + 60 }).recording)
    await carried.sync()
    assert.deepEqual(await readState(), [
      'High ops: offboarded_records 1',
      'High sec: offboarded_records 1',
      ...before,
    ])
  })
})

describe('offboarded device users', () => {
  let fixture: AccessFixture
  let phone: Phone
  let isUploading = false
  before(async () => {
    fixture = await accessFixture({}, { hasWorker: true })
    // Uploads fail while the device is offline.
    const fetchOnTheRoad: typeof fetch = async (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      if (!isUploading && url.includes('/uploads/')) throw new TypeError('fetch failed')
      return fetch(input, init)
    }
    phone = await demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, 'Harriet', {
      fetch: fetchOnTheRoad,
      retry: { tries: 1, firstPauseMs: 1, longestPauseMs: 1 },
    })
    await phone.record(getRecording('SMS', getMessage('before they left')).recording)
    await phone.sync().catch(() => undefined)
  })
  after(() => fixture?.close())

  const queue = async () => {
    const { devices, is_empty } = await fixture.alice.api.readUserQueue(of(HARRIET))
    return { is_empty, devices: devices.map(({ waiting, is_unseen }) => ({ waiting, is_unseen })) }
  }
  /** The alerts of Harriet's devices and who cleared them. */
  async function readState(): Promise<string[]> {
    await watchOffboarded.run(fixture.server.ctx, {}, new AbortController().signal)
    const rows = await fixture.sql<{ stated: string }>(
      `select concat_ws(' ', alert_state, alert_text->'values'->>'waiting', alert_text->'values'->>'unseen', occurrence_count, cleared_by) as stated
       from alerts where alert_text->>'code' = 'offboarded_queue'`,
    )
    return rows.map(({ stated }) => stated)
  }
  const left = (seconds: number) =>
    fixture.sql(
      `update device_users set is_active = false, offboard_date = extract(epoch from now())::bigint - $2 where device_user_reference = $1`,
      [HARRIET, seconds],
    )

  it('show how many payloads still wait on their devices', async () => {
    assert.deepEqual(await queue(), { is_empty: false, devices: [{ waiting: 1, is_unseen: false }] })
    const user = await fixture.alice.api.readDeviceUser(of(HARRIET))
    const { group, services, expected_device_count, email, first_name, surname } = user
    const body = { group, services, expected_device_count, email, first_name, surname, is_active: false }
    await fixture.alice.api.updateDeviceUser({ ...of(HARRIET), body })
    await fixture.sql('update devices set last_seen = last_seen - 10 where last_seen is not null')
    assert.deepEqual(await queue(), { is_empty: false, devices: [{ waiting: 1, is_unseen: true }] })
  })

  it('raise one alert after a day, which clears when no payload waits', async () => {
    assert.deepEqual(await readState(), [], 'it may still arrive')
    await left(QUEUE_GRACE_SECONDS + 60)
    const status = ['Triggered 1 0 1']
    assert.deepEqual(await readState(), status)
    assert.deepEqual(await readState(), status)
    isUploading = true
    await phone.sync()
    assert.deepEqual(await queue(), { is_empty: true, devices: [{ waiting: 0, is_unseen: false }] })
    assert.deepEqual(await readState(), ['Cleared 1 0 1'], 'cleared by the system')
  })

  it('raise an alert when a device was not seen since the offboarding', async () => {
    await fixture.sql(`update devices set last_seen = last_seen - 5 * 86400 where last_seen is not null`)
    await left(2 * QUEUE_GRACE_SECONDS)
    assert.deepEqual(await readState(), ['Triggered 0 1 2'])
    assert.deepEqual(await queue(), { is_empty: false, devices: [{ waiting: 0, is_unseen: true }] })
    await phone.authenticate()
    assert.deepEqual(await readState(), ['Cleared 0 1 2'])
  })
})
