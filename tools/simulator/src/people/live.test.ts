/** Simulated live devices against the real server. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openPerson } from '../../../../apps/server/src/testing/access-fixture.ts'
import { testServer } from '../../../../apps/server/src/testing/server.ts'
import { until } from '../../../../apps/server/src/testing/waits.ts'
import { carriedPhone } from '../carried-phone.ts'
import { demoAccounts, type DemoPerson, MEDIA_FOLDER, openMedia } from '../media.ts'
import type { Act } from './life.ts'
import { type LiveOptions, liveOn } from './live.ts'

const HOUR = 3600
const server = await testServer({}, { hasWorker: true })
after(() => server.close())
const { dataDir } = server.ctx.config
const [account] = await demoAccounts(dataDir)
assert.ok(account)
const named = (name: string) => account.people.find(({ first_name }) => first_name === name) as DemoPerson
const now = server.ctx.now()
const options: Omit<LiveOptions, 'person' | 'until'> = {
  serverUrl: server.url,
  account,
  media: await openMedia(MEDIA_FOLDER),
  phonesFolder: join(dataDir, 'demo', 'phones'),
  from: now - 10 * HOUR,
}
const live = (name: string, until: number, ...acts: Act[]) =>
  liveOn({ ...options, person: named(name), until, acts })
const record = (at: number): Act => ({ at, kind: 'record', what: 'message' })
const getDevices = (name: string) =>
  server.sql<{ is_waiting: string | null; payloads: number; numbers: string[] }>(
    `select waiting_reason as is_waiting, (select count(*)::int from payloads p where p.device_id = d.device_id) as payloads,
       array(select phone_number from device_numbers n where n.device_id = d.device_id order by from_at) as numbers
     from devices d where serial_number = $1 order by device_id`,
    [carriedPhone(named(name)).identity.serial_number],
  )

describe('simulated live devices', () => {
  it('upload recordings, and upload offline recordings after reconnecting', async () => {
    await live(
      'Imran',
      now - 6 * HOUR,
      record(now - 9 * HOUR),
      { at: now - 8 * HOUR, kind: 'offline', until: now - 4 * HOUR },
      record(now - 7 * HOUR),
    )
    assert.equal((await getDevices('Imran'))[0]?.payloads, 1, 'it is away')
    await live('Imran', now - 3 * HOUR)
    assert.equal((await getDevices('Imran'))[0]?.payloads, 2)
    const [reported] = await server.sql<{ logs: number; reports: number; last: number; twice: number }>(
      `select (select count(*)::int from device_logs l where l.device_id = d.device_id) as logs,
         (select count(*)::int from telemetry t where t.device_id = d.device_id) as reports,
         (select max(timestamp)::int from gps_points g where g.device_id = d.device_id) as last,
         (select count(*) - count(distinct timestamp) from gps_points g where g.device_id = d.device_id)::int as twice
       from devices d where email = $1`,
      [named('Imran').email],
    )
    assert.deepEqual([reported?.logs, reported?.reports, reported?.twice], [2, 2, 0])
    assert.ok((reported?.last ?? 0) > now - 4 * HOUR, 'also where it was while it was away')
  })

  it('report the new phone number after a SIM change', async () => {
    await live('Beatriz', now, record(now - 9 * HOUR), {
      at: now - 8 * HOUR,
      kind: 'sim',
      phone_number: '+5511955559999',
    })
    const [device] = await getDevices('Beatriz')
    assert.deepEqual(device?.numbers, ['+5511955550105', '+5511955559999'])
  })

  it('wait for approval after a reset or a change of holder', async () => {
    await live(
      'Oliver',
      now,
      record(now - 9 * HOUR),
      { at: now - 8 * HOUR, kind: 'reset' },
      record(now - 7 * HOUR),
    )
    assert.deepEqual(
      (await getDevices('Oliver')).map(({ is_waiting, payloads }) => [is_waiting, payloads]),
      [
        [null, 1],
        ['other_key', 1],
      ],
    )
    await live('Sofia', now, record(now - 9 * HOUR), {
      at: now - 8 * HOUR,
      kind: 'passed_on',
      to: named('Oliver'),
    })
    assert.deepEqual(
      (await getDevices('Sofia')).map(({ is_waiting }) => is_waiting),
      ['holder'],
    )
  })

  it('answer every command as completed or failed', async () => {
    const alice = await openPerson(server, 'acme', 'alice')
    const [row] = await server.sql<{ device_reference: string }>(
      'select device_reference from devices where email = $1',
      [named('Imran').email],
    )
    const params = { device_reference: row?.device_reference ?? '' }
    // The outcome is random: repeat until both occur.
    await until('a command that is obeyed, and one that is not', async () => {
      for (let i = 0; i < 10; i++)
        await alice.api.sendCommand({ params, body: { command: 'sync_data', params: {} } })
      await live('Imran', now)
      const states = await server.sql<{ state: string }>(
        'select distinct state from device_commands order by state',
      )
      assert.ok(
        states.every(({ state }) => state === 'Completed' || state === 'Failed'),
        'each is answered',
      )
      return states.length === 2
    })
  })

  it('upload messages again on command, linked to the first upload', async () => {
    const alice = await openPerson(server, 'acme', 'alice')
    await live('Harriet', now - 5 * HOUR, record(now - 9 * HOUR), record(now - 6 * HOUR))
    const [row] = await server.sql<{ device_reference: string }>(
      'select device_reference from devices where email = $1',
      [named('Harriet').email],
    )
    const params = { device_reference: row?.device_reference ?? '' }
    const body = { command: 'reupload_sms_messages', params: { from: now - 7 * HOUR } } as const
    // Some devices fail the command: repeat until this one succeeds.
    await until('a command that is obeyed', async () => {
      const { command_reference } = await alice.api.sendCommand({ params, body })
      await live('Harriet', now - 4 * HOUR)
      const [sent] = await server.sql<{ state: string }>(
        'select state from device_commands where command_reference = $1',
        [command_reference],
      )
      return sent?.state === 'Completed'
    })
    const messages = await server.sql<{ payload_time: number; is_copy: boolean }>(
      `select payload_time, is_copy from payloads join devices using (device_id) where device_reference = $1 order by is_copy, payload_time`,
      [params.device_reference],
    )
    assert.deepEqual(
      messages.map(({ payload_time, is_copy }) => [payload_time, is_copy]),
      [
        [now - 9 * HOUR, false],
        [now - 6 * HOUR, false],
        [now - 6 * HOUR, true],
      ],
    )
  })

  it('upload no payloads once they have fallen silent', async () => {
    await live('Marcus', now, record(now - HOUR))
    assert.deepEqual(await getDevices('Marcus'), [])
    await live('Nadia', now, record(now - HOUR))
    assert.deepEqual(
      (await getDevices('Nadia')).map(({ payloads }) => payloads),
      [0],
    )
  })
})
