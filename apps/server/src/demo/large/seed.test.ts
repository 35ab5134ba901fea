import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ApiProblem } from '@custodia/client'
import { api } from '@custodia/contract'
import { signIn } from '../../testing/browser.ts'
import { testServer } from '../../testing/server.ts'
import { verifyArchive } from '../../verify/verify.ts'
import { seedLargeDemo } from './seed.ts'

const server = await testServer()
after(() => server.close())

test('the large demo passes the integrity check, is plausible, and is added once', async () => {
  const scale = { people: 130, devices: 101, recordings: 2, months: 3, reports: 2, positions: 2, entries: 60 }
  const client_id = await server.getId('acme')
  const counts = async () => {
    const [row] = await server.sql<Record<string, number>>(
      `select (select count(*)::int from device_users where client_id = $1 and updated_by = 'demo') as people,
         (select count(*)::int from devices where client_id = $1) as devices,
         (select count(*)::int from devices where client_id = $1 and is_deactivated) as deactivated,
         (select count(*)::int from devices where client_id = $1 and silence is not null) > 0 as has_silent,
         (select count(*)::int from payloads where client_id = $1) > 100 as has_recordings,
         (select count(distinct first_name || surname)::int from device_users where client_id = $1 and updated_by = 'demo') > 110 as has_names,
         (select count(*)::int from telemetry where client_id = $1) as reports,
         (select count(*)::int from gps_points where client_id = $1) as positions,
         (select count(*)::int from device_logs where client_id = $1) as logs`,
      [client_id],
    )
    return row
  }
  // Reports of thousands are sealed for longer than a transaction may be idle: PostgreSQL ends its session.
  const endIdle = () =>
    server.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
    )
  const keys: typeof server.ctx.keys = {
    ...server.ctx.keys,
    wrap: async (...key) => {
      await endIdle()
      return server.ctx.keys.wrap(...key)
    },
  }
  await seedLargeDemo({ ...server.ctx, keys }, 'acme', () => undefined, scale)
  const found = await counts()
  assert.deepEqual(found, {
    people: 130,
    devices: 101,
    deactivated: 5,
    has_silent: true,
    has_recordings: true,
    has_names: true,
    reports: 192,
    positions: 192,
    logs: 60,
  })
  const { findings, problem } = await verifyArchive(server.ctx, { open: { of: 1, rest: 0 } })
  assert.deepEqual({ findings, problem }, { findings: [], problem: undefined })
  await seedLargeDemo(server.ctx, 'acme', () => undefined, scale)
  assert.deepEqual(await counts(), found)

  // The portal reads every list of it. Calls with required parameters are refused here.
  const { api: calls } = await signIn(server.url, 'acme', 'alice')
  const read = calls as unknown as Record<string, (input: object) => Promise<unknown>>
  let answers = 0
  for (const [name, { method, path }] of Object.entries(api)) {
    if (method !== 'GET' || path.includes('{')) continue
    const outcome = await read[name]?.({}).catch((error: unknown) => error)
    if (!(outcome instanceof Error)) answers++
    else if (!(outcome instanceof ApiProblem && outcome.status < 500)) throw outcome
  }
  assert.ok(answers > 40, `${answers} calls answered`)
})
