import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { DAY, PAYLOAD_TYPES, type RetentionEntry } from '@custodia/contract'
import { decide, type PolicyVersion, type RetentionItem, ruleFor } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { getHoldPeriods, lockSubjects, getSubjects } from '../held-records/store.ts'
import { AuditLog } from '../http/audit.ts'
import { RETENTION } from '../http/context.ts'
import { findHeldUser, writeHolds } from '../legal-holds/store.ts'
import { localFileKeys } from '../ports/keys/local-file.ts'
import { testDatabase, type TestDatabase } from '../testing/database.ts'
import { createFixture, type Fixture, FIXTURE_START } from '../testing/list-fixture.ts'
import { seeded } from '../testing/require-part.ts'
import { findDue, readClock } from './engine-store.ts'
import { carryOut } from './engine.ts'

const APPS = ['archive', 'risk']
const NEVER = new AbortController().signal
/** Number of random policies. */
const FIXTURES = 6

describe('the retention engine', () => {
  let database: TestDatabase
  let folder: string
  let keys: AppContext['keys']
  let fixture: Fixture
  const random = seeded(23)
  before(async () => {
    database = await testDatabase()
    folder = await mkdtemp(join(tmpdir(), 'custodia-keys-'))
    keys = localFileKeys({ folder })
    fixture = await createFixture(database.db, 'acme', 12)
    await fixture.add(700, random)
    await database.db.owner.query(
      `begin;
       select setseed(0.7);
       update payloads set is_late = true where state in (2, 7) and random() < 0.7;
       insert into payload_write_offs (client_id, payload_id, at, by)
       select client_id, payload_id, coalesce(uploaded_at, 0) + (random() * 4)::int - 1, 'alice' from payloads where random() < 0.6;
       update payloads set state = 9, state_before_deletion = 5 where state = 5 and random() < 0.2;
       insert into payload_history (client_id, payload_id, at, from_state, to_state, by)
       select client_id, payload_id, payload_time + (random() * 90)::int * ${DAY}, state_before_deletion, state, 'bob' from payloads
       where state_before_deletion = 5;
       set local session_replication_role = replica;
       update payloads set announced_at = payload_time + (random() * 30)::int * ${DAY},
         restored_at = case when random() < 0.2 then payload_time + (random() * 60)::int * ${DAY} end;
       insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person)
       select client_id, payload_id, app, payload_time + (random() * 40)::int * ${DAY}, random() < 0.3
       from payloads, unnest(string_to_array('${APPS.join(',')}', ',')) app where random() < 0.5;
       create table kept_history as select * from payload_history where to_state = 9;
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
  after(async () => {
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  // Small batches, so that a pass takes several steps.
  const parts = () => ({ db: database.db, audit: new AuditLog(database.db), keys, most: 40 })
  const client = () => ({ client_id: fixture.client_id, client: 'acme' })
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
  /** Resets the payloads and sets these policies. */
  async function anew(versions: readonly PolicyVersion[], minimums: object[] = []) {
    await database.db.owner.query(
      `begin;
       set local session_replication_role = replica;
       update payloads p set state = k.state, state_before_deletion = k.state_before_deletion from kept k where k.payload_id = p.payload_id;
       delete from payload_metrics;
       delete from payload_removed;
       insert into payload_metrics overriding system value select * from kept_metrics;
       delete from payload_history;
       insert into payload_history overriding system value select * from kept_history;
       delete from destruction_intents;
       delete from destruction_ledger;
       delete from destruction_runs;
       delete from retention_positions;
       delete from retention_results;
       delete from retention_policies;
       delete from payload_audit;
       delete from portal_activities;
       commit`,
    )
    for (const [i, { at, entries, applies_to_kept }] of versions.entries())
      await database.db.owner.query(
        `insert into retention_policies values ($1, $2, $3, $4, $5, null, $6, 'alice')`,
        [fixture.client_id, i + 1, JSON.stringify(entries), JSON.stringify(minimums), applies_to_kept, at],
      )
  }
  const everything = (
    days: Partial<Record<'delete_after_days' | 'destroy_after_days', number>>,
  ): PolicyVersion => ({
    at: 1,
    applies_to_kept: true,
    entries: PAYLOAD_TYPES.map((payload_type) => ({
      entity_type: 'Payload',
      payload_type,
      ...days,
      retention_timestamp: 'payload_time',
      required_receipts: [],
      required_transfers: [],
    })),
  })
  /** Effects of an act: payload states, audit entries, counts and the ledger. */
  const noted = async (act: 'delete' | 'destroy') => {
    const done = act === 'delete' ? 'deleted' : 'destroyed'
    const mine = `by = '${RETENTION}' and to_state = ${act === 'delete' ? 9 : 10}`
    return {
      history: await count(`select count(*) from payload_history where ${mine}`),
      trails: await count(
        `select count(*) from payload_audit a where portal_user = '${RETENTION}' and action = 'retention:${act}'
           and exists (select from payload_history h where h.payload_id = a.payload_id and h.at = a.at and ${mine})`,
      ),
      log: await count(
        `select coalesce(sum((parameters::jsonb #>> '{body,${done}}')::int), 0) from portal_activities
         where action = 'retention:${act}' and user_reference = '${RETENTION}' and (parameters::jsonb #>> '{body,policy_version}') = '1'`,
      ),
      counts: await count(`select coalesce(sum(${done}), 0) from retention_results`),
    }
  }
  const same = (n: number) => ({ history: n, trails: n, log: n, counts: n })
  const ledger = () => count('select count(*) from destruction_ledger')

  it('deletes and destroys exactly the payloads that the decision permits, for random policies', async () => {
    const clock = await database.db.read(fixture.client_id, readClock)
    const age = Math.floor((clock - FIXTURE_START) / DAY)
    const some = <T>(list: readonly T[], share = 0.25) => list.filter(() => random() < share)
    const days = () => (random() < 0.3 ? undefined : Math.max(0, age - 90 + Math.floor(random() * 150)))
    const total = { deleted: 0, destroyed: 0, afterwards: 0, at_once: 0 }
    for (let run = 0; run < FIXTURES; run++) {
      const versions: PolicyVersion[] = [1, 2, 3].map((n) => ({
        at: FIXTURE_START + n * 20 * DAY,
        applies_to_kept: random() < 0.5,
        entries: some(PAYLOAD_TYPES, 0.8)
          .map((payload_type): RetentionEntry => ({
            entity_type: 'Payload',
            payload_type,
            delete_after_days: days(),
            // Some immediately after deletion.
            destroy_after_days: random() < 0.2 ? 0 : days(),
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
      const expected = { 9: [] as number[], 10: [] as number[] }
      await database.db.read(fixture.client_id, async (q) => {
        const holds = await getHoldPeriods(q, ids)
        for (const { payload_id, payload: known, receipts } of await findDue(q, ids)) {
          const payload: RetentionItem = { ...known, transferred_at: null }
          const rule = ruleFor(payload, versions)
          const policy = { rules: rule ? [rule] : [], minimums }
          const getVerdict = (as: RetentionItem) =>
            decide(
              { payload: as, policy, holds: holds.get(payload_id) ?? [], receipts, transfers: [] },
              clock,
            ).verdict
          const isDeleted = payload.payload_state === 'Deleted'
          if (getVerdict(payload) === 'keep') continue
          const state_before_deletion = payload.state_before_deletion ?? payload.payload_state
          const deleted: RetentionItem = isDeleted
            ? payload
            : { ...payload, payload_state: 'Deleted', state_before_deletion, deleted_at: clock }
          const isDestroyed = getVerdict(deleted) === 'destroy'
          expected[isDestroyed ? 10 : 9].push(payload_id)
          if (isDestroyed) total[isDeleted ? 'afterwards' : 'at_once']++
        }
      })
      const done = await carryOut(parts(), client(), NEVER)
      const now = await states()
      for (const state of [9, 10] as const)
        assert.deepEqual(
          [...now].filter(([id, is]) => is === state && before.get(id) !== state).map(([id]) => id),
          expected[state].toSorted((a, b) => a - b),
        )
      assert.equal(done.destroyed, expected[10].length)
      assert.equal(await ledger(), expected[10].length)
      assert.deepEqual(
        await carryOut(parts(), client(), NEVER),
        { deleted: 0, destroyed: 0 },
        'a second run expires nothing',
      )
      total.deleted += done.deleted
      total.destroyed += done.destroyed
    }
    assert.ok(total.deleted > 150 && total.afterwards > 25 && total.at_once > 25, JSON.stringify(total))
  })

  it('records the policy version and the rule in the ledger, in a run that ends', async () => {
    const kept = everything({ delete_after_days: 30_000 })
    const entries = everything({ destroy_after_days: 1 }).entries.slice(0, 2)
    await anew([kept, { at: 2, applies_to_kept: true, entries }, { at: 3, applies_to_kept: false, entries }])
    const { destroyed } = await carryOut(parts(), client(), NEVER)
    assert.ok(destroyed > 20)
    const result = await database.db.owner.query(
      `select distinct policy_version, rule ->> 'destroy_after_days' as days, destroyed_by, ended_at is not null as is_over
       from destruction_ledger join destruction_runs using (client_id, run_id)`,
    )
    assert.deepEqual(result.rows, [{ policy_version: 3, days: '1', destroyed_by: RETENTION, is_over: true }])
    assert.equal(await count('select count(*) from destruction_runs'), 1)
  })

  it('deletes the payloads of a group together, so that few transactions change its counters', async () => {
    await anew([everything({ delete_after_days: 1 })])
    assert.ok((await carryOut({ ...parts(), most: 10 }, client(), NEVER)).deleted > 200)
    const result = await database.db.owner.query<{ pairs: number; most: number }>(
      `select count(distinct (log_id, group_id))::int as pairs,
         (count(distinct (service, group_id)) + count(distinct log_id))::int as most
       from payload_audit join payloads using (client_id, payload_id) where action = 'retention:delete'`,
    )
    const { pairs = 0, most = 0 } = result.rows[0] ?? {}
    assert.ok(pairs > 0 && pairs <= most, `${pairs} of at most ${most}`)
  })

  for (const [act, done, days] of [
    ['delete', 'deleted', { delete_after_days: 1 }],
    ['destroy', 'destroyed', { destroy_after_days: 1 }],
  ] as const) {
    const begin = () => anew([everything(days)])
    const all = async () => {
      await begin()
      return (await carryOut(parts(), client(), NEVER))[done]
    }

    it(`records each act in the account log and in the payload audit (${act})`, async () => {
      const gone = await all()
      assert.ok(gone > 200)
      assert.deepEqual(await noted(act), same(gone))
      assert.equal(await ledger(), act === 'destroy' ? gone : 0)
    })

    it(`does nothing without an audit entry, and resumes where it stopped (${act})`, async () => {
      const gone = await all()
      await begin()
      let written = 0
      const broken = parts()
      const within = broken.audit.appendWithin.bind(broken.audit)
      broken.audit.appendWithin = async (tx, ...entries) => {
        if (entries[0]?.action === `retention:${act}` && ++written > 1) throw new Error('the disk is full')
        return within(tx, ...entries)
      }
      await assert.rejects(carryOut(broken, client(), NEVER), /disk is full/)
      const { history = 0, ...rest } = await noted(act)
      assert.deepEqual({ history, ...rest }, same(history))
      assert.ok(history > 0 && history < gone)
      assert.equal(await ledger(), act === 'destroy' ? history : 0)
      assert.equal((await carryOut(parts(), client(), NEVER))[done], gone - history)
      assert.deepEqual(await noted(act), same(gone))
    })

    it(`acts on each payload once when several workers run (${act})`, async () => {
      const gone = await all()
      await begin()
      const shares = await Promise.all(Array.from({ length: 4 }, () => carryOut(parts(), client(), NEVER)))
      assert.equal(
        shares.reduce((sum, share) => sum + share[done], 0),
        gone,
      )
      assert.deepEqual(await noted(act), same(gone))
    })

    it(`does nothing while retention is paused or the sealed log contradicts a checkpoint (${act})`, async () => {
      await begin()
      const pause = (is_paused: boolean) =>
        database.db.owner.query(
          `insert into retention_pauses values ($1, $2, null, 1, 'alice')
           on conflict (client_id) do update set is_paused = excluded.is_paused`,
          [fixture.client_id, is_paused],
        )
      await pause(true)
      assert.deepEqual(await carryOut(parts(), client(), NEVER), { deleted: 0, destroyed: 0 })
      await pause(false)
      await database.db.owner.query(
        `insert into sealed_contradictions values ($1, 'data folder', 1, 'cut_off', 1)`,
        [fixture.client_id],
      )
      assert.deepEqual(await carryOut(parts(), client(), NEVER), { deleted: 0, destroyed: 0 })
      await database.db.owner.query(`delete from sealed_contradictions`)
      assert.ok((await carryOut(parts(), client(), NEVER))[done] > 200)
    })
  }

  it('leaves the payloads of people who are placed on hold while it runs as they are then', async () => {
    await anew([everything({ delete_after_days: 1, destroy_after_days: 0 })])
    const isRunning = { yes: true }
    const running = carryOut({ ...parts(), most: 8 }, client(), NEVER).finally(() => (isRunning.yes = false))
    const held: { target: string; before: Map<number, number> }[] = []
    for (const n of [5, 1, 7]) {
      const target = `person ${n}`
      await database.db.write(fixture.client_id, async (tx) => {
        const subject = { target_type: 'DeviceUser', target } as const
        await lockSubjects(tx, [subject])
        const device_user_id = (await findHeldUser(tx, target)) ?? null
        const act = { act: 'set', by: 'alice', reason_id: null, matter_id: null } as const
        await writeHolds(tx, [{ ...subject, device_user_id }], act)
      })
      const all = await states()
      const subjects = await database.db.read(fixture.client_id, (q) => getSubjects(q, [...all.keys()]))
      const before = new Map(
        [...all].filter(([id]) => subjects.get(id)?.some((subject) => subject.target === target)),
      )
      assert.ok(isRunning.yes, 'the engine ended before the last hold')
      held.push({ target, before })
    }
    await running
    const now = await states()
    for (const { target, before } of held)
      assert.deepEqual(new Map([...before.keys()].map((id) => [id, now.get(id)])), before, target)
    await database.db.owner.query(
      `begin; set local session_replication_role = replica;
       delete from legal_hold_events where at > 1; delete from legal_holds where created_at > 1; commit`,
    )
  })

  it('checks skipped payloads again after a day', async () => {
    await anew([everything({ delete_after_days: 1 })])
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
    assert.equal((await carryOut(parts(), client(), NEVER)).deleted, 0, 'the pass skipped them')
    await database.db.owner.query(`update retention_positions set began_at = began_at - ${DAY + 10}`)
    assert.ok((await carryOut(parts(), client(), NEVER)).deleted > 0)
  })
})
