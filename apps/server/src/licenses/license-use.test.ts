import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DEVICE_SERVICES } from '@custodia/contract'
import type { Tx } from '../ports/database/lease.ts'
import { seeded } from '../testing/require-part.ts'
import { testContext, type TestContext } from '../testing/test-context.ts'
import { forEachService, readUse } from './store.ts'

let fixture: TestContext
let client_id: number
const PEOPLE = 12
const PHONES = 40
before(async () => {
  fixture = await testContext()
  const [client] = await fixture.sql<{ client_id: number }>(
    `insert into clients (client, client_name, account_key, created_at) values ('acme', 'Acme', '', 0) returning client_id`,
  )
  client_id = client?.client_id ?? 0
  await fixture.sql(
    `with g as (insert into groups (client_id, group_reference, updated_at, updated_by) values ($1, 'North', 0, 'test') returning group_id),
      u as (insert into device_users (client_id, device_user_reference, group_id, services, updated_at, updated_by)
        select $1, 'person ' || i, group_id, '{calls}', 0, 'test' from g, generate_series(1, ${PEOPLE}) i)
     insert into devices (client_id, device_reference, group_id, services, activated_at, updated_at, updated_by)
     select $1, 'phone ' || i, group_id, '{sms}', 1, 0, 'test' from g, generate_series(1, ${PHONES}) i`,
    [client_id],
  )
})
after(() => fixture?.close())

const change = (statement: string, values: unknown[]) =>
  fixture.context.db.write(client_id, (tx: Tx) => tx.query(statement, values))
const read = () => fixture.context.db.read(client_id, (q) => readUse(q))

/** Recounts use from devices and users. */
async function recount() {
  const rows = await fixture.sql<{ service: string; used: number }>(
    `select service, count(*)::int as used from devices d left join device_users u using (client_id, device_user_id)
     cross join lateral unnest(case when d.device_user_id is null then d.services when u.is_active then u.services else '{}' end) service
     where d.activated_at is not null and not d.is_deactivated and service <> all(d.unlicensed_services) group by 1`,
  )
  return forEachService((service) => rows.find((row) => row.service === service)?.used ?? 0)
}

test('licence use equals a recount after concurrent changes of devices and services', async () => {
  const r = seeded(7)
  const below = (n: number) => Math.floor(r() * n)
  const some = () => DEVICE_SERVICES.filter(() => r() < 0.4)
  const phone = () => `phone ${1 + below(PHONES)}`
  const person = () => `person ${1 + below(PEOPLE)}`
  const acts = [
    () =>
      change(
        `update devices set device_user_id = (select device_user_id from device_users where device_user_reference = $2), unlicensed_services = $3
         where device_reference = $1`,
        [phone(), person(), some()],
      ),
    () =>
      change('update devices set device_user_id = null, services = $2 where device_reference = $1', [
        phone(),
        some(),
      ]),
    () => change('update devices set is_deactivated = $2 where device_reference = $1', [phone(), r() < 0.5]),
    () =>
      change('update device_users set services = $2, is_active = $3 where device_user_reference = $1', [
        person(),
        some(),
        r() < 0.7,
      ]),
  ]
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let i = 0; i < 15; i++) await acts[below(acts.length)]?.()
    }),
  )
  const used = await read()
  assert.deepEqual(used, await recount())
  assert.ok(Object.values(used).some((count) => count > 0))
  const [{ device_id } = { device_id: 0 }] = await fixture.sql<{ device_id: number }>(
    'select device_id from devices where activated_at is not null and not is_deactivated order by cardinality(granted_services) desc limit 1',
  )
  const others = await fixture.context.db.read(client_id, (q) => readUse(q, device_id))
  await change('delete from devices where device_id = $1', [device_id])
  assert.deepEqual(others, await recount())
  assert.deepEqual(await read(), others)
})

test('a device that is assigned while the services of its user change gets the new services', async () => {
  await change(`update device_users set services = '{calls}', is_active = true`, [])
  let commit = () => undefined as void
  const held = new Promise<void>((resolve) => (commit = resolve))
  let given = () => undefined as void
  const isGiven = new Promise<void>((resolve) => (given = resolve))
  const gives = fixture.context.db.write(client_id, async (tx: Tx) => {
    await tx.query(
      `update devices set device_user_id = (select device_user_id from device_users where device_user_reference = 'person 1'),
         unlicensed_services = '{}', activated_at = 1, is_deactivated = false where device_reference = 'phone 1'`,
    )
    given()
    await held
  })
  await isGiven
  let isDone = false
  const changes = change(
    `update device_users set services = '{photos}' where device_user_reference = 'person 1'`,
    [],
  ).then(() => (isDone = true))
  const isWaiting = async () =>
    (await fixture.sql(`select from pg_stat_activity where wait_event_type = 'Lock'`)).length > 0
  while (!isDone && !(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 5))
  commit()
  await Promise.all([gives, changes])
  assert.deepEqual(
    await fixture.sql(`select granted_services from devices where device_reference = 'phone 1'`),
    [{ granted_services: ['photos'] }],
  )
  assert.deepEqual(await read(), await recount())
})
