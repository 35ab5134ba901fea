import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PAYLOAD_TYPES, type RetentionEntry } from '@custodia/contract'
import { decide, type PolicyVersion, ruleFor } from '@custodia/domain'
import { AuditLog } from '../http/audit.ts'
import { holdPeriodsOf } from '../legal-holds/store.ts'
import { testDatabase, type TestDatabase } from '../testing/database.ts'
import { makeWorld, type World, WORLD_START } from '../testing/list-world.ts'
import { seeded } from '../testing/seeded.ts'
import { findDue, readClock } from './engine-store.ts'
import { RETENTION } from '../http/context.ts'
import { carryOut } from './engine.ts'

const DAY = 86_400
const APPS = ['archive', 'risk']
const NEVER = new AbortController().signal
/** Random worlds of policies. */
const WORLDS = 12

describe('retention, carried out', () => {
  let database: TestDatabase
  let world: World
  const random = seeded(23)
  before(async () => {
    database = await testDatabase()
    world = await makeWorld(database.db, 'acme', 12)
    await world.add(700, random)
    await database.db.owner.query(
      `begin;
       set local session_replication_role = replica;
       select setseed(0.7);
       update payloads set announced_at = payload_time + (random() * 30)::int * ${DAY},
         restored_at = case when random() < 0.2 then payload_time + (random() * 60)::int * ${DAY} end;
       insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person)
       select client_id, payload_id, app, payload_time + (random() * 40)::int * ${DAY}, random() < 0.3
       from payloads, unnest(string_to_array('${APPS.join(',')}', ',')) app where random() < 0.5;
       create table kept as select payload_id, state, state_before_deletion from payloads;
       create table kept_metrics as select * from payload_metrics;
       with held as (
         insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by)
         select client_id, 'DeviceUser', device_user_reference, device_user_id, true, 1, 1, 'alice' from device_users
         where device_user_reference in ('person 0', 'person 3') returning *)
       insert into legal_hold_events (client_id, target_type, target, act, at, by) select client_id, target_type, target, 'set', 1, 'alice' from held;
       commit`,
    )
  })
  after(() => database?.drop())

  const parts = () => ({ db: database.db, audit: new AuditLog(database.db) })
  const client = () => ({ client_id: world.client_id, client: 'acme' })
  const states = async () => {
    const { rows } = await database.db.owner.query<{ id: number; state: number }>(
      'select payload_id::int as id, state from payloads order by payload_id',
    )
    return new Map(rows.map(({ id, state }) => [id, state]))
  }
  const count = async (sql: string) => {
    const { rows } = await database.db.owner.query<{ n: number }>(`select (${sql})::int as n`)
    return rows[0]?.n
  }
  /** As if nothing had been carried out, under these policies. */
  async function anew(versions: readonly PolicyVersion[], minimums: object[] = []) {
    await database.db.owner.query(
      `begin;
       set local session_replication_role = replica;
       update payloads p set state = k.state, state_before_deletion = k.state_before_deletion from kept k where k.payload_id = p.payload_id;
       delete from payload_metrics;
       insert into payload_metrics overriding system value select * from kept_metrics;
       delete from payload_history;
       delete from retention_positions;
       delete from retention_deeds;
       delete from retention_policies;
       delete from payload_audit;
       delete from portal_activities;
       commit`,
    )
    for (const [i, { at, entries, applies_to_kept }] of versions.entries())
      await database.db.owner.query(
        `insert into retention_policies values ($1, $2, $3, $4, $5, null, $6, 'alice')`,
        [world.client_id, i + 1, JSON.stringify(entries), JSON.stringify(minimums), applies_to_kept, at],
      )
  }
  const everything = (delete_after_days: number): PolicyVersion => ({
    at: 1,
    applies_to_kept: true,
    entries: PAYLOAD_TYPES.map((payload_type) => ({
      entity_type: 'Payload',
      payload_type,
      delete_after_days,
      retention_timestamp: 'payload_time',
      required_receipts: [],
      required_transfers: [],
    })),
  })

  it('deletes what the decision lets go and nothing else, in random worlds of policies', async () => {
    const clock = await database.db.read(world.client_id, readClock)
    const age = Math.floor((clock - WORLD_START) / DAY)
    const some = <T>(list: readonly T[], share = 0.25) => list.filter(() => random() < share)
    const days = () => (random() < 0.3 ? undefined : Math.max(0, age - 90 + Math.floor(random() * 150)))
    let deleted = 0
    for (let run = 0; run < WORLDS; run++) {
      const versions: PolicyVersion[] = [1, 2, 3].map((n) => ({
        at: WORLD_START + n * 20 * DAY,
        applies_to_kept: random() < 0.5,
        entries: some(PAYLOAD_TYPES, 0.8)
          .map((payload_type): RetentionEntry => ({
            entity_type: 'Payload',
            payload_type,
            delete_after_days: days(),
            destroy_after_days: days(),
            retention_timestamp: random() < 0.6 ? 'payload_time' : 'receipt_confirmed_at',
            required_receipts: some(APPS),
            required_transfers: random() < 0.1 ? ['T1'] : [],
          }))
          .filter(
            (entry) =>
              ('delete_after_days' in entry && entry.delete_after_days !== undefined) ||
              entry.destroy_after_days !== undefined,
          ),
      }))
      const minimums = some(PAYLOAD_TYPES).map((payload_type) => ({
        payload_type,
        days: Math.floor(random() * (age + 60)),
        legal_basis: 'Some law',
      }))
      await anew(versions, minimums)
      const before = await states()
      const ids = [...before.keys()]
      const expected = await database.db.read(world.client_id, async (q) => {
        const holds = await holdPeriodsOf(q, ids)
        return (await findDue(q, ids)).flatMap(({ payload_id, payload, receipts }) => {
          const rule = ruleFor(payload, versions)
          const policy = { rules: rule ? [rule] : [], minimums }
          const facts = { payload, policy, holds: holds.get(payload_id) ?? [], receipts, transfers: [] }
          return decide(facts, clock).verdict === 'delete' ? [payload_id] : []
        })
      })
      assert.equal(await carryOut(parts(), client(), NEVER), expected.length)
      const gone = [...(await states())].filter(([id, state]) => state === 9 && before.get(id) !== 9)
      assert.deepEqual(
        gone.map(([id]) => id),
        expected.toSorted((a, b) => a - b),
      )
      assert.equal(await carryOut(parts(), client(), NEVER), 0, 'what is gone goes once')
      deleted += expected.length
    }
    assert.ok(deleted > 300, `${deleted} were deleted in all`)
  })

  it('notes each act with it, in the account’s log and in the payload’s own', async () => {
    await anew([everything(1)])
    const deleted = await carryOut(parts(), client(), NEVER)
    assert.ok(deleted > 200)
    assert.equal(
      await count(`select count(*) from payload_history where by = '${RETENTION}' and to_state = 9`),
      deleted,
    )
    assert.equal(
      await count(`select count(*) from payload_audit where portal_user = '${RETENTION}'`),
      deleted,
    )
    assert.equal(await count('select sum(deleted) from retention_deeds'), deleted)
    assert.equal(
      await count(
        `select sum((parameters::jsonb #>> '{body,deleted}')::int) from portal_activities
         where action = 'retention:delete' and user_reference = '${RETENTION}' and (parameters::jsonb #>> '{body,policy_version}') = '1'`,
      ),
      deleted,
    )
  })

  it('deletes nothing of which no entry can be written, and goes on where it was', async () => {
    await anew([everything(1)])
    const all = await carryOut(parts(), client(), NEVER)
    await anew([everything(1)])
    let written = 0
    const broken = parts()
    const within = broken.audit.appendWithin.bind(broken.audit)
    broken.audit.appendWithin = async (tx, ...entries) => {
      if (++written > 2) throw new Error('the disk is full')
      return within(tx, ...entries)
    }
    await assert.rejects(carryOut(broken, client(), NEVER), /disk is full/)
    const done = await count(`select count(*) from payload_history where by = '${RETENTION}'`)
    assert.equal(await count(`select count(*) from payload_audit where portal_user = '${RETENTION}'`), done)
    assert.ok(done !== undefined && done > 0 && done < all)
    assert.equal(await carryOut(parts(), client(), NEVER), all - done)
  })

  it('is shared by workers: each payload goes once, and is noted once', async () => {
    await anew([everything(1)])
    const all = await carryOut(parts(), client(), NEVER)
    await anew([everything(1)])
    const shares = await Promise.all(Array.from({ length: 4 }, () => carryOut(parts(), client(), NEVER)))
    assert.equal(
      shares.reduce((sum, share) => sum + share, 0),
      all,
    )
    assert.equal(await count('select count(*) from payload_history'), all)
  })

  it('looks again after a day at what stayed when it was passed', async () => {
    await anew([everything(1)])
    const held = (sql: string) =>
      database.db.owner.query(`begin; set local session_replication_role = replica; ${sql}; commit`)
    await held(
      `insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by)
       select client_id, 'DeviceUser', device_user_reference, device_user_id, true, 1, 1, 'alice' from device_users where device_user_reference = 'person 1';
       insert into legal_hold_events (client_id, target_type, target, act, at, by)
       select client_id, target_type, target, 'set', 1, 'alice' from legal_holds where target = 'person 1'`,
    )
    await carryOut(parts(), client(), NEVER)
    await held(
      `delete from legal_holds where target = 'person 1'; delete from legal_hold_events where target = 'person 1'`,
    )
    assert.equal(await carryOut(parts(), client(), NEVER), 0, 'the pass went by them')
    await database.db.owner.query(`update retention_positions set began_at = began_at - ${DAY + 10}`)
    assert.ok((await carryOut(parts(), client(), NEVER)) > 0)
  })

  it('stands still while the account wants it to', async () => {
    await anew([everything(1)])
    const pause = (is_paused: boolean) =>
      database.db.owner.query(
        `insert into retention_pauses values ($1, $2, null, 1, 'alice')
         on conflict (client_id) do update set is_paused = excluded.is_paused`,
        [world.client_id, is_paused],
      )
    await pause(true)
    assert.equal(await carryOut(parts(), client(), NEVER), 0)
    await pause(false)
    assert.ok((await carryOut(parts(), client(), NEVER)) > 200)
  })
})
