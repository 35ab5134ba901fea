import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openConnection } from '../ports/database/connect.ts'
import { ingestFixture, type IngestFixture, sealRecording } from '../testing/ingest-fixture.ts'
import { sealAll } from '../testing/seal-all.ts'
import { sealBatch } from './seal.ts'

/** Every table whose rows are sealed. */
const TABLES = [
  'portal_activities',
  'device_activities',
  'payload_history',
  'legal_hold_events',
  'retention_policies',
]

let fixture: IngestFixture
let acme: { client_id: number; client: string }
before(async () => {
  fixture = await ingestFixture()
  acme = { ...fixture.accounts.acme, client: 'acme' }
})
after(() => fixture?.close())

/** Ids of the audit log of devices in the order of the log. */
const sealed = async () =>
  (
    await fixture.sql<{ source_id: string }>(
      `select source_id from sealed_entries where client_id = ${acme.client_id} and source_id like 'test %' order by position`,
    )
  ).map(({ source_id }) => source_id)

const insert = (log_id: string, at = fixture.ctx.now()) => `
  insert into device_activities (log_id, client_id, device_ip, device_reference, activity_time, action, is_allowed, parameters, request_id)
  values ('test ${log_id}', ${acme.client_id}, '', 'x', ${at}, 'x', true, '{}', '')`

test('every entry of every source has one position, with processes that seal at the same time', async () => {
  const phone = await fixture.phone('acme')
  for (let i = 0; i < 2; i++) await phone.deliver(await sealRecording(phone, 'Photo', Buffer.alloc(50, i)))
  await fixture.work()
  await fixture.sql(
    `insert into legal_holds (client_id, target_type, target, is_active, created_at, updated_at, updated_by)
       values (${acme.client_id}, 'PortalUser', 'x', true, 1, 1, 'x');
     insert into legal_hold_events (client_id, target_type, target, act, at, by) values (${acme.client_id}, 'PortalUser', 'x', 'set', 1, 'x');
     insert into retention_policies (client_id, policy_version, entries, minimums, applies_to_kept, at, by)
       values (${acme.client_id}, 1, '[]', '[]', false, 1, 'x');
     insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id, duration)
       values ('x', ${acme.client_id}, 'x', '', 1, 'x', true, '{}', '', 0.25)`,
  )
  await Promise.all([1, 2, 3].map(() => sealAll(fixture.ctx, acme)))
  for (const table of TABLES) {
    const [row] = await fixture.sql<{ acts: number; leaves: number }>(
      `select (select count(*)::int from ${table} where client_id = ${acme.client_id}) as acts,
         (select count(*)::int from sealed_entries where client_id = ${acme.client_id} and source = '${table}') as leaves`,
    )
    assert.ok(row && row.acts > 0, table)
    assert.equal(row.leaves, row.acts, table)
  }
  const [row] = await fixture.sql<{ last: number; count: number; size: number }>(
    `select max(position) as last, count(*)::int as count, (select max(size) from sealed_checkpoints) as size from sealed_entries`,
  )
  assert.deepEqual([row?.last, row?.size], [(row?.count ?? 0) - 1, row?.count])
})

test('an entry that commits late has a position behind the entries that committed before', async () => {
  const late = await openConnection(fixture.connection, 'test')
  try {
    await late.query(`begin; ${insert('late')}`)
    await fixture.sql(insert('early'))
    assert.equal(await sealBatch(fixture.ctx, acme), true, 'one is left')
    assert.deepEqual(await sealed(), [])
    await late.query('commit')
    await sealAll(fixture.ctx, acme)
    assert.deepEqual(await sealed(), ['test late', 'test early'])
  } finally {
    await late.end()
  }
})

test('after a restore of a dump, numbers of the former server hide no entry', async () => {
  await fixture.sql(
    `update sealed_checkpoints set until_xid = '900000000000'::xid8 where size = (select max(size) from sealed_checkpoints)`,
  )
  await fixture.sql(insert('former'))
  await fixture.sql(`update device_activities set xid = '900000000001'::xid8 where log_id = 'test former'`)
  await sealAll(fixture.ctx, acme)
  await fixture.sql(insert('restored'))
  await sealAll(fixture.ctx, acme)
  assert.deepEqual((await sealed()).slice(-2), ['test former', 'test restored'])
})

test('an entry that retention removes takes its salt along and leaves its digest', async () => {
  const kept = () =>
    fixture.sql<{ salts: number; digests: number }>(
      `select count(salt)::int as salts, count(digest)::int as digests
       from sealed_entries where source_id = 'test early'`,
    )
  assert.deepEqual(await kept(), [{ salts: 1, digests: 1 }])
  await fixture.sql(`delete from device_activities where log_id = 'test early'`)
  assert.deepEqual(await kept(), [{ salts: 0, digests: 1 }])
})
