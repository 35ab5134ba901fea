import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openConnection } from '../ports/database/connect.ts'
import type { Tx } from '../ports/database/lease.ts'
import { ingestFixture, sealRecording } from '../testing/ingest-fixture.ts'
import { sealAll } from '../testing/seal-all.ts'
import { until } from '../testing/waits.ts'
import { sealBatch } from './seal.ts'

/** Every table whose rows are sealed. */
const TABLES = [
  'portal_activities',
  'device_activities',
  'payload_history',
  'legal_hold_events',
  'retention_policies',
  'dual_control_versions',
  'destruction_review_versions',
  'destruction_ledger',
  'destruction_ends',
  'destruction_certificates',
  'payload_reassignments',
  'payload_write_offs',
  'rights_versions',
  'transfer_audit',
  'transfer_reconciliations',
  'capture_statements',
]
/** Tables that only grow and are not sealed: their rows come with a sealed entry, or are no evidence of an act. */
const NOT_SEALED = [
  'data_request_copies',
  'destruction_certificate_files',
  'enrolment_uses',
  'message_firsts',
  'migration_results',
  'migration_samples',
  'payload_audit',
  'payload_comment_versions',
  'payload_copies',
  'payload_envelopes',
  'payload_receipts',
  'payload_sequence',
  'portal_people',
  'terms_acceptances',
  'transfer_attempts',
]

/** Columns and values of a row of each table that has rows per payload. Triggers are off for them. */
const OF_A_PAYLOAD = [
  ['payload_reassignments', 'at, from_group, to_group, by', `1, 1, 2, 'x'`],
  ['payload_write_offs', 'at, by', `1, 'x'`],
  [
    'transfer_audit',
    'transfer_config_reference, payload_date, transfer_id, transferred_at, encrypted_checksum, decrypted_checksum',
    `'x', 0, 'x', 1, 'x', 'x'`,
  ],
  ['destruction_ends', 'ended_at, objects', '1, 1'],
  [
    'destruction_ledger',
    `payload_reference, run_id, type, payload_time, announced_at, deleted_at, deleted_from, destroyed_at, destroyed_by, digests,
     policy_version, rule, gates, people_checked, holds_ended, keys, replayed_at`,
    `payload_reference, 'x', 1, 1, 1, 1, 1, 1, 'x', '{}', 1, '{}', '[]', 0, 0, 1, 1`,
  ],
] as const

const fixture = await ingestFixture()
const acme = { ...fixture.accounts.acme, client: 'acme' }
after(() => fixture.close())

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
       values ('x', ${acme.client_id}, 'x', '', 1, 'x', true, '{}', '', 0.25);
     insert into dual_control_versions (client_id, version, is_required, at, by, confirmed_by) values (${acme.client_id}, 1, true, 1, 'x', 'y');
     insert into destruction_review_versions (client_id, version, is_required, at, by) values (${acme.client_id}, 1, true, 1, 'x');
     insert into transfer_reconciliations (client_id, reconciliation_reference, transfer_config_reference, payload_date, version, payload_types, captured, delivered, missing,
       reasons, issued_at, key_id, checksum, body, signature) values (${acme.client_id}, 'x', 'x', 0, 1, '{}', 0, 0, 0, '{}', 1, 'x', 'x', '{}', '');
     insert into capture_statements (client_id, statement_reference, day, issued_at, recorded, archived, queued, explained, missing, contradictory, key_id,
       checksum, body, signature) values (${acme.client_id}, 'x', 0, 1, 0, 0, 0, 0, 0, 0, 'x', 'x', '{}', '');
     insert into destruction_runs (client_id, run_id, began_at) values (${acme.client_id}, 'x', 1);
     insert into destruction_certificates (client_id, certificate_reference, run_id, part, parts, payloads, began_at, ended_at, issued_at, key_id, checksum, body, signature)
       values (${acme.client_id}, 'x', 'x', 1, 1, 1, 1, 1, 1, 'x', 'x', '{}', '')`,
  )
  for (const [table, columns, values] of OF_A_PAYLOAD)
    await fixture.sql(
      `begin; set local session_replication_role = replica;
       insert into ${table} (client_id, payload_id, ${columns}) select client_id, payload_id, ${values} from payloads order by 2 limit 1; commit`,
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

test('each table of a client that only grows is sealed or listed as not sealed', async () => {
  const found = await fixture.sql<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'client_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'sealed\\_%'
       and has_table_privilege('custodia_app', c.oid, 'insert') and not has_any_column_privilege('custodia_app', c.oid, 'update')
       and not has_table_privilege('custodia_app', c.oid, 'delete') order by 1`,
  )
  const unsealed = found.map(({ name }) => name).filter((name) => !TABLES.includes(name))
  assert.deepEqual(unsealed, NOT_SEALED)
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

test('a process that does not see the last batch of another one leaves its entries to the next batch', async () => {
  const { db } = fixture.ctx
  type Write = typeof db.write
  let former: Awaited<ReturnType<Tx['query']>> | undefined
  /** The lock and the size of the log are one statement, which may see an older size. */
  const outdated: Write = (client_id, work, isSealing) =>
    db.write(
      client_id,
      async (tx) => {
        const query = async <Row>(...statement: Parameters<typeof tx.query>) => {
          const result = await tx.query<Row>(...statement)
          return statement[0].includes('pg_try_advisory_xact_lock')
            ? ((former ??= result) as typeof result)
            : result
        }
        return work(Object.assign(Object.create(tx) as typeof tx, { query }))
      },
      isSealing,
    )
  const second = { ...fixture.ctx, db: { ...db, write: outdated } }
  await sealBatch(second, acme)
  await fixture.sql(insert('first'))
  await sealAll(fixture.ctx, acme)
  await fixture.sql(insert('second'))
  const isFinal = `select pg_snapshot_xmin(pg_current_snapshot()) > xid as is from device_activities where log_id = 'test second'`
  await until(
    'the end of older transactions',
    () => fixture.sql(isFinal),
    ([row]) => row?.['is'] === true,
  )
  assert.equal(await sealBatch(second, acme), true)
  await sealAll(fixture.ctx, acme)
  assert.deepEqual((await sealed()).slice(-2), ['test first', 'test second'])
})

test('a transaction of many entries is sealed in batches that read few of its sealed ones again', async () => {
  await fixture.sql(
    `insert into device_activities (log_id, client_id, device_ip, device_reference, activity_time, action, is_allowed, parameters, request_id)
     select 'many ' || n, ${acme.client_id}, '', 'x', 1, 'x', true, '{}', '' from generate_series(1, 5000) n`,
  )
  const read = async () =>
    Number(
      (
        await fixture.sql(
          `select idx_tup_fetch as n from pg_stat_user_tables where relname = 'sealed_batches'`,
        )
      )[0]?.['n'],
    )
  const count = `select count(distinct position)::int as n, count(distinct source_id)::int as ids from sealed_entries where source_id like 'many %'`
  const before = await read()
  await sealAll(fixture.ctx, acme)
  assert.deepEqual(await fixture.sql(count), [{ n: 5000, ids: 5000 }])
  await fixture.ctx.db.write(acme.client_id, (tx) => tx.query('select pg_stat_force_next_flush()', []))
  await until('the counters of the database', read, (now) => now > before)
  assert.ok((await read()) - before < 50_000, 'the sealed part is not searched for each entry')
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
