import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { reassignCommands } from '../devices/commands/command-store.ts'
import { GPS, LOGS, reassignReports, TELEMETRY } from '../devices/reports/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { RECORD_KINDS } from '../retention/records/kind-store.ts'
import { lockRecords } from '../retention/records/record-store.ts'
import { testDatabase } from '../testing/database.ts'
import { createFixture } from '../testing/list-fixture.ts'

/** Two rows of a phone in the reserved group, the later one first. */
const KINDS: readonly {
  table: string
  insert: string
  reassign: (tx: Tx, device_id: number) => Promise<unknown>
}[] = [
  {
    table: 'device_logs',
    insert: `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, log_class, log_level, local_timezone, log_message, received_at)
      select $1::int, $2::int, n::text, 9, $3::int, 'Test', 'INFO', 'UTC', 'said', 9 from unnest(array[2, 1]) n`,
    reassign: (tx, device_id) => reassignReports(tx, LOGS, device_id, 9),
  },
  {
    table: 'gps_points',
    insert: `with k as (insert into gps_keys (client_id, device_id, day, wrapped_key, created_at) values ($1::int, $2::int, 0, '\\x00', 1) returning key_id)
      insert into gps_points (client_id, device_id, gps_reference, timestamp, group_id, key_id, sealed, received_at)
      select $1::int, $2::int, n::text, 9, $3::int, key_id, '', 9 from unnest(array[2, 1]) n, k`,
    reassign: (tx, device_id) => reassignReports(tx, GPS, device_id, 9),
  },
  {
    table: 'telemetry',
    insert: `insert into telemetry (client_id, device_id, telemetry_id, telemetry_time, group_id, facts_id, has_applications, report_key_id, iv, sealed_meta,
        checksum, received_at)
      select $1::int, $2::int, n::text, 9, $3::int, 0, false, 1, '', '', '', 9 from unnest(array[2, 1]) n`,
    reassign: (tx, device_id) => reassignReports(tx, TELEMETRY, device_id, 9),
  },
  {
    table: 'device_commands',
    insert: `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, state, raised_by, sent_at, completed_at)
      select $1::int, n::text, $2::int, $3::int, 'sync', '{}', 'Completed', 'alice', 9, 9 from unnest(array[2, 1]) n`,
    reassign: reassignCommands,
  },
]

const database = await testDatabase()
after(() => database.drop())
const fixture = await createFixture(database.db, 'acme', 1)
const { rows } = await database.db.owner.query<{ device_id: number; group_id: number }>(
  `with g as (insert into groups (client_id, group_reference, is_reserved, updated_at, updated_by) values ($1, 'Waiting', true, 0, 't') returning *)
   select d.device_id, g.group_id from devices d, g where d.client_id = $1`,
  [fixture.client_id],
)
const [phone] = rows
assert.ok(phone)
const device_id = phone.device_id
await database.db.owner.query(
  `insert into device_history (client_id, device_id, from_at, group_id) select client_id, device_id, 1, group_id from devices on conflict do nothing`,
)
for (const { insert } of KINDS)
  await database.db.owner.query(insert, [fixture.client_id, device_id, phone.group_id])

describe('records reassigned while retention runs', () => {
  for (const { table, reassign } of KINDS)
    it(`${table}: are locked in one order without a deadlock`, async () => {
      const { owner } = database.db
      const kind = RECORD_KINDS.find((each) => each.table === table)
      assert.ok(kind)
      const { rows: records } = await owner.query<{ key: string; id: string }>(
        `select ${kind.key}::text as key, ${kind.locked_by?.replace('device_id, ', '').split(',')[0]} as id from ${table} order by 2`,
      )
      const found = records.map(({ key }) => ({ key, recorded_at: 9, received_at: 9 }))
      const first = await owner.connect()
      const waiting = async (count: number) => {
        for (;;) {
          const { rows } = await owner.query<{ n: number }>(
            `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          )
          if (rows[0]?.n === count) return
          await sleep(10)
        }
      }
      try {
        await first.query('begin')
        await first.query(`select from ${table} where ${kind.key}::text = $1 for update`, [records[0]?.key])
        // It waits for the first; were the other one then taken by who files anew, each would wait for the other.
        let attempts = 0
        const retention = database.db.write(fixture.client_id, (tx) => {
          attempts += 1
          return lockRecords(tx, kind, found)
        })
        await waiting(1)
        const refiled = database.db.write(fixture.client_id, async (tx) => {
          attempts += 1
          // As the rows lie, and not as an index has them.
          for (const way of ['enable_indexscan', 'enable_bitmapscan', 'enable_indexonlyscan'])
            await tx.query(`set local ${way} = off`)
          await reassign(tx, device_id)
        })
        await waiting(2)
        await first.query('commit')
        const [locked] = await Promise.all([retention, refiled])
        assert.equal(locked.length, 2)
        assert.equal(attempts, 2, 'no transaction was rolled back and retried')
      } finally {
        first.release()
      }
      const { rows } = await owner.query<{ n: number }>(
        `select count(*)::int as n from ${table} t join devices d using (client_id, device_id) where t.group_id = d.group_id`,
      )
      assert.equal(rows[0]?.n, 2)
    })
})
