import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { DeviceUser } from '@custodia/contract'
import { type AccessFixture, accessFixture } from '../testing/access-fixture.ts'
import { demoPhone, messageOf, recordingOf } from '../testing/phones.ts'
import { watchStatuses } from './jobs.ts'
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
    await carried.record(recordingOf('SMS', messageOf('before')).recording)
    await change({ is_active: false })
    await carried.sync()
    assert.deepEqual(await readState(), before, 'recorded before')
    const now = Math.floor(Date.now() / 1000)
    await carried.record(recordingOf('SMS', messageOf('after'), { payload_time: now + 60 }).recording)
    await carried.sync()
    assert.deepEqual(await readState(), [
      'High ops: leaver_records 1',
      'High sec: leaver_records 1',
      ...before,
    ])
  })
})
