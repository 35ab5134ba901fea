import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { DAY, LOG_SENTENCES } from '@custodia/contract'
import { decideRecord, type PolicyVersion } from '@custodia/domain'
import { seeded } from '../../testing/require-part.ts'
import { countRecordsDue } from './count-store.ts'
import { RETAINED_KINDS } from './fleet-store.ts'
import { SELF_EXPIRING_KINDS } from './kind-store.ts'
import { recordsFixture, type RecordsFixture } from './records.test-support.ts'

/** Number of random policies, each with runs of each kind. */
const FIXTURES = 5
const RUNS = 60

/** Processed, deleted and destroyed. */
const STATES = [5, 9, 10] as const
/** The last config was deleted. */
const CONFIGS = ['one', 'two', 'three', 'gone']

/** A run in the reference implementation. */
interface Run {
  id: string
  created_at: number
  ended_at: number | null
  config: string
  by: string
  tried_by: string
  /** Migrations only. */
  is_dry_run: boolean
  signed_off_at: number | null
  sources_erased_at: number | null
  retry_of: string | null
  /** Person in the results, in addition to the payload owners. */
  named: string
  recordings: { n: number; state: number; owner: string }[]
}

const fixture = await recordsFixture(12)
after(() => fixture.drop())
const clock = fixture.clock
const phones = await fixture.owner<{
  device_id: number
  group_id: number
  device_user_id: number
  person: string
}>(
  `select d.device_id, d.group_id, u.device_user_id, u.device_user_reference as person
   from (select *, row_number() over (order by device_id) as n from devices where client_id = $1) d
   join (select *, row_number() over (order by device_user_id) as n from device_users where client_id = $1) u using (n)`,
  [fixture.client_id],
)

describe('transfer and migration runs', () => {
  const random = seeded(67)
  const maybe = (chance: number) => random() < chance
  const oneOf = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T

  function makeRuns(kind: 'transfer' | 'migration', from: number): Run[] {
    const runs: Run[] = []
    for (let n = 0; n < RUNS; n++) {
      const created_at = clock - (RUNS - n) * 2 * DAY - 3600
      const ended_at = maybe(0.1) ? null : Math.min(created_at + Math.floor(random() * 5 * DAY), clock - 1)
      const later = (chance: number, at: number | null) =>
        at !== null && maybe(chance) ? Math.min(at + Math.floor(random() * 9 * DAY), clock - 1) : null
      const signed_off_at = later(0.8, ended_at)
      runs.push({
        id: `${kind} ${String(n).padStart(4, '0')}`,
        created_at,
        ended_at,
        config: oneOf(CONFIGS),
        by: `visitor ${Math.floor(random() * 9)}`,
        tried_by: `visitor ${Math.floor(random() * 9)}`,
        is_dry_run: maybe(0.3),
        signed_off_at,
        sources_erased_at: later(0.8, signed_off_at),
        retry_of: n > 0 && maybe(0.2) ? `${kind} ${String(Math.floor(random() * n)).padStart(4, '0')}` : null,
        named: oneOf(phones).person,
        recordings: Array.from({ length: Math.floor(random() * 3) }, (_, i) => ({
          n: from + n * 3 + i,
          state: maybe(0.75) ? 10 : oneOf(STATES),
          owner: oneOf(phones).person,
        })),
      })
    }
    return runs
  }

  /** Creates runs anew, sets these policies and places these holds. */
  async function anew(versions: readonly PolicyVersion[], held: readonly string[]) {
    const runs = { transfer: makeRuns('transfer', 0), migration: makeRuns('migration', 3 * RUNS) }
    const all = [...runs.transfer, ...runs.migration].flatMap(({ recordings }) => recordings)
    const people = new Map(phones.map((phone) => [phone.person, phone]))
    await fixture.clear('transfer_runs', 'transfer_configs', 'migration_runs', 'payloads', 'device_history')
    await fixture.asReplica((write) => fill(write, runs, all, people))
    await fixture.savePolicies(versions)
    await fixture.hold(held)
    return runs
  }

  async function fill(
    write: RecordsFixture['owner'],
    runs: Record<'transfer' | 'migration', Run[]>,
    all: Run['recordings'],
    people: ReadonlyMap<string, { device_id: number; group_id: number; device_user_id: number }>,
  ): Promise<void> {
    const { client_id } = fixture
    await write(
      `insert into payloads (client_id, payload_reference, service, type, state, payload_time, group_id, device_id, device_user_id, announced_at, updated_at)
       select $1, 'recording ' || n, 2, 4, state, 1, group_id, device_id, device_user_id, 1, 1
       from jsonb_to_recordset($2) x (n int, state smallint, group_id int, device_id int, device_user_id int)`,
      [client_id, JSON.stringify(all.map(({ owner: who, ...each }) => ({ ...each, ...people.get(who) })))],
    )
    for (const config of CONFIGS.filter((each) => each !== 'gone'))
      await write(
        `insert into transfer_configs (client_id, transfer_config_reference, transfer_type, payload_types, transfer_file_format, params, is_active, updated_at,
           updated_by) values ($1, $2, 'Payload', '{SMS}', 'Zipped', '{"target_type": "S3"}', true, 1, 'alice')`,
        [client_id, config],
      )
    const given = JSON.stringify(runs.transfer)
    await write(
      `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, transfer_state, created_at, completed_at, report_to,
         updated_by) select $1, id, config, 'Payload', case when ended_at is null then 'InProgress' else 'Succeeded' end, created_at, ended_at, created_at, by
       from jsonb_to_recordset($2) x (id text, config text, created_at bigint, ended_at bigint, by text)`,
      [client_id, given],
    )
    await write(
      `with x as (select id, config, tried_by, p.payload_id, p.payload_reference from jsonb_to_recordset($2) x (id text, config text, tried_by text, recordings jsonb)
         cross join lateral jsonb_array_elements(recordings) r join payloads p on p.client_id = $1 and p.payload_reference = 'recording ' || (r ->> 'n')),
       items as (insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, payload_id, transfer_state)
         select $1::int, id, payload_reference, config, payload_id, 'Failed' from x)
       insert into transfer_attempts (client_id, transfer_id, item, attempted_at, attempted_by, transfer_state)
       select $1, id, payload_reference, 1, tried_by, 'Failed' from x`,
      [client_id, given],
    )
    const migrations = JSON.stringify(runs.migration)
    await write(
      `insert into migration_runs (client_id, migration_reference, migration_state, is_dry_run, created_at, created_by, migrated_at, filename, signed_off_at,
         signed_off_by, sources_erased_at, retry_of)
       select $1, id, case when ended_at is null then 'Pending' else 'Migrated' end, is_dry_run, created_at, by, ended_at, 'users.csv', signed_off_at,
         case when signed_off_at is not null then tried_by end, sources_erased_at, retry_of
       from jsonb_to_recordset($2) x (id text, is_dry_run boolean, created_at bigint, by text, ended_at bigint, signed_off_at bigint, tried_by text,
         sources_erased_at bigint, retry_of text)`,
      [client_id, migrations],
    )
    await write(
      `with x as (select * from jsonb_to_recordset($2) x (id text, named text, recordings jsonb)),
       known as (insert into legacy_payloads (client_id, legacy_payload_reference, migration_reference, payload_reference, payload_id)
         select $1::int, p.payload_reference, id, p.payload_reference, p.payload_id from x cross join lateral jsonb_array_elements(recordings) r
         join payloads p on p.client_id = $1 and p.payload_reference = 'recording ' || (r ->> 'n')),
       files as (insert into migration_files (client_id, migration_reference, filename, size, sha256) select $1, id, 'users.csv', 1, '' from x)
       insert into migration_results (client_id, migration_reference, sequence, result_type, kind, item, filename, line, payload_id)
       select $1, id, 1, 'UserUpdated', 'DeviceUser', named, 'users.csv', 2, null from x
       union all select $1, id, 1 + place::int, 'PayloadCreated', 'Payload', 'secret', 'payloads.csv', 2, p.payload_id from x
         cross join lateral jsonb_array_elements(recordings) with ordinality r (recording, place)
         join payloads p on p.client_id = $1 and p.payload_reference = 'recording ' || (recording ->> 'n')`,
      [client_id, migrations],
    )
  }

  it('are destroyed with their dependent rows when due and no longer needed, for random policies', async () => {
    const counts = { transfers: 0, migrations: 0, held: 0, needed: 0 }
    for (let n = 0; n < FIXTURES; n++) {
      const versions: PolicyVersion[] = [1, 2].map((place) => ({
        at: clock - (3 - place) * 60 * DAY,
        applies_to_kept: maybe(0.6),
        entries: maybe(0.9)
          ? (['Transfer', 'Migration'] as const).map((entity_type) => ({
              entity_type,
              destroy_after_days: Math.floor(random() * 60),
            }))
          : [],
      }))
      const held = [
        ...phones.map(({ person }) => person),
        ...Array.from({ length: 9 }, (_, i) => `visitor ${i}`),
      ].filter(() => maybe(0.08))
      const { transfer, migration } = await anew(versions, held)
      const goes = (follows: 'Transfer' | 'Migration', recorded_at: number, received_at: number) =>
        decideRecord({ follows, recorded_at, received_at }, { versions, holds: [] }, clock).verdict ===
        'destroy'
      const dueTransfers = transfer.filter(
        (each) => each.ended_at !== null && goes('Transfer', each.created_at, each.ended_at),
      )
      const last = new Map(transfer.map(({ id, config }) => [config, id]))
      const unneeded = dueTransfers.filter(
        ({ id, config, recordings }) =>
          recordings.every(({ state }) => state === 10) && (config === 'gone' || last.get(config) !== id),
      )
      const isHeld = ({ recordings, by, tried_by }: Run, named: string[], tries: boolean) =>
        [by, ...(tries ? [tried_by] : []), ...named, ...recordings.map(({ owner: who }) => who)].some(
          (person) => held.includes(person),
        )
      const goneTransfers = unneeded.filter((each) => !isHeld(each, [], each.recordings.length > 0))
      const repeated = new Set(
        migration.flatMap(({ retry_of, ended_at }) => (ended_at === null ? (retry_of ?? []) : [])),
      )
      const dueMigrations = migration.filter(
        ({ id, ended_at, created_at, is_dry_run, signed_off_at, sources_erased_at }) =>
          ended_at !== null &&
          (is_dry_run || (signed_off_at !== null && sources_erased_at !== null)) &&
          !repeated.has(id) &&
          goes('Migration', created_at, Math.max(ended_at, signed_off_at ?? 0, sources_erased_at ?? 0)),
      )
      const goneMigrations = dueMigrations.filter(
        (each) => !isHeld(each, [each.named], each.signed_off_at !== null),
      )
      const result = await fixture.db.read(fixture.client_id, (q) => countRecordsDue(q, versions, [clock]))
      const counted = (entity_type: string) =>
        result.find((each) => each.entity_type === entity_type)?.destroyed[0] ?? 0
      assert.deepEqual(
        [counted('Transfer'), counted('Migration')],
        [goneTransfers.length, goneMigrations.length],
      )
      assert.equal(await fixture.run(), goneTransfers.length + goneMigrations.length)
      const gone = new Set([...goneTransfers, ...goneMigrations].map(({ id }) => id))
      const expected = [...transfer, ...migration].map(({ id }) => id).filter((id) => !gone.has(id))
      for (const [table, kind] of [
        ['transfer_runs', 'transfer'],
        ['migration_runs', 'migration'],
        ['migration_files', 'migration'],
      ] as const) {
        const rows = await fixture.owner<{ id: string }>(
          `select ${kind}_${kind === 'transfer' ? 'id' : 'reference'} as id from ${table} order by 1`,
        )
        assert.deepEqual(
          rows.map(({ id }) => id),
          expected.filter((id) => id.startsWith(kind)),
          table,
        )
      }
      for (const [table, key] of [
        ['transfer_items', 'transfer_id'],
        ['transfer_attempts', 'transfer_id'],
        ['migration_results', 'migration_reference'],
      ]) {
        const left = await fixture.owner<{ id: string }>(`select distinct ${key} as id from ${table}`)
        assert.deepEqual(
          left.filter(({ id }) => gone.has(id)),
          [],
          `${table} of deleted runs`,
        )
      }
      const [known] = await fixture.owner<{ n: number }>('select count(*)::int as n from legacy_payloads')
      assert.equal(known?.n, migration.flatMap(({ recordings }) => recordings).length, 'imports are known')
      assert.equal(await fixture.noted('destroyed'), gone.size)
      counts.transfers += goneTransfers.length
      counts.migrations += goneMigrations.length
      counts.held += unneeded.length - goneTransfers.length + dueMigrations.length - goneMigrations.length
      counts.needed += dueTransfers.length - unneeded.length
    }
    assert.ok(Math.min(...Object.values(counts)) > 10, JSON.stringify(counts))
  })

  it('cannot be deleted in any other way', async () => {
    await anew([], [])
    const gone = await fixture.db.write(fixture.client_id, (tx) => {
      return tx.row<{ transfers: number; migrations: number }>(
        `select destroy_runs('Transfer', (select array_agg(transfer_id) from transfer_runs)) as transfers,
           destroy_runs('Migration', (select array_agg(migration_reference) from migration_runs)) as migrations`,
        [],
      )
    })
    assert.deepEqual(gone, { transfers: 0, migrations: 0 })
    for (const table of ['transfer_runs', 'migration_runs'])
      await assert.rejects(
        fixture.db.write(fixture.client_id, (tx) => tx.query(`delete from ${table}`, [])),
        /permission denied/,
      )
  })
})

it('the audit log has a sentence for each record kind that retention removes, and for no other', () => {
  assert.deepEqual(
    Object.keys(LOG_SENTENCES)
      .filter((name) => name.startsWith('retention:de') && name.includes('_'))
      .toSorted(),
    [...RETAINED_KINDS, ...SELF_EXPIRING_KINDS].map(({ action }) => action).toSorted(),
  )
})
