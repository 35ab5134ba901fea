import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  PAYLOAD_TYPES,
  type PayloadRetention,
  PREVIEW_DAYS,
  RETENTION_BASES,
  type RetentionEntry,
} from '@custodia/contract'
import {
  decide,
  deliveredBy,
  type Delivery,
  type LegalMinimum,
  type PolicyVersion,
  type Retained,
  type RetentionRule,
  ruleFor,
  ruleSpans,
  transferredAt,
} from '@custodia/domain'
import { holdPeriodsOf } from '../legal-holds/store.ts'
import { stateIfAny, stateOfCode, TYPE_CODES, typeOfCode } from '../payloads/codes.ts'
import { testDatabase, type TestDatabase } from '../testing/database.ts'
import { makeWorld, type World, WORLD_START } from '../testing/list-world.ts'
import { seeded } from '../testing/seeded.ts'
import { DELIVERIES } from '../transfers/store.ts'
import { countDue, countStaying } from './preview-store.ts'

const DAY = 86_400
const APPS = ['archive', 'risk']

let database: TestDatabase
let world: World
before(async () => {
  database = await testDatabase()
  world = await makeWorld(database.db, 'acme', 12)
  await world.add(600, seeded(5))
  const { owner } = database.db
  // Announced at other times than they were recorded, deleted from all states, restored, and confirmed by apps and by people.
  await owner.query(
    `begin;
     set local session_replication_role = replica;
     select setseed(0.4);
     update payloads set announced_at = payload_time + (random() * 30)::int * ${DAY},
       restored_at = case when random() < 0.2 then payload_time + (random() * 60)::int * ${DAY} end;
     update payloads set is_late = true where state in (2, 7) and random() < 0.7;
     insert into payload_abandonments (client_id, payload_id, at, by)
     select client_id, payload_id, coalesce(uploaded_at, 0) + (random() * 4)::int - 1, 'alice' from payloads where random() < 0.6;
     update payloads set state = 9, state_before_deletion = case when random() < 0.9 then state end where state < 9 and random() < 0.3;
     insert into payload_history (client_id, payload_id, at, from_state, to_state, by)
     select client_id, payload_id, payload_time + n * 20 * ${DAY}, 5, 9, 'test' from payloads, generate_series(1, 2) n
     where state = 9 and random() < 0.9;
     insert into payload_receipts (client_id, payload_id, client_app_user, confirmed_at, is_person)
     select client_id, payload_id, app, payload_time + (random() * 40)::int * ${DAY}, random() < 0.3
     from payloads, unnest(string_to_array('${APPS.join(',')}', ',')) app where random() < 0.5;
     insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, created_at, report_to, updated_by)
     select distinct client_id, config, config, 'Payload', 1, 1, 'alice' from payloads, unnest(array['T1', 'T2']) config;
     insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, payload_id, transferred_at)
     select client_id, config, payload_reference, config, payload_id,
       case when random() < 0.8 then payload_time + (random() * 40)::int * ${DAY} end
     from payloads, unnest(array['T1', 'T2']) config where random() < 0.6;
     commit`,
  )
  await owner.query(
    `with held as (
       insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by)
       select client_id, 'DeviceUser', device_user_reference, device_user_id, true, 1, 1, 'alice' from device_users
       where device_user_reference = 'person 0' returning *)
     insert into legal_hold_events (client_id, target_type, target, act, at, by) select client_id, target_type, target, 'set', 1, 'alice' from held`,
  )
})
after(() => database.drop())

/** What `decide` asks of each payload of the world. */
async function retained() {
  const { rows } = await database.db.owner.query(
    `select p.*, p.payload_id::int as id,
       (select max(at) from payload_history h where h.payload_id = p.payload_id and h.to_state = 9) as deleted_at,
       coalesce((select array_agg(client_app_user) from payload_receipts r where r.payload_id = p.payload_id and not is_person), '{}') as receipts,
       (select max(confirmed_at) from payload_receipts r where r.payload_id = p.payload_id and not is_person) as receipt_confirmed_at
       , exists (select from payload_abandonments a where a.payload_id = p.payload_id and a.at >= coalesce(p.uploaded_at, 0)) as is_abandoned,
       ${DELIVERIES} as deliveries
     from payloads p`,
  )
  const holds = await database.db.read(world.client_id, (q) =>
    holdPeriodsOf(
      q,
      rows.map(({ id }: { id: number }) => id),
    ),
  )
  return rows.map((row: Record<string, number & string[]> & { is_late: boolean; is_abandoned: boolean }) => {
    const number = (name: string) => (row[name] === null ? null : Number(row[name]))
    const payload: Retained = {
      payload_type: typeOfCode(Number(row.type)),
      payload_state: stateOfCode(Number(row.state)),
      state_before_deletion: stateIfAny(number('state_before_deletion')),
      deleted_at: number('deleted_at'),
      payload_time: Number(row.payload_time),
      announced_at: Number(row.announced_at),
      processed_at: number('processed_at'),
      transferred_at: null,
      receipt_confirmed_at: number('receipt_confirmed_at'),
      restored_at: number('restored_at'),
      is_late: row.is_late,
      is_alerted: true,
      is_abandoned: row.is_abandoned,
    }
    const deliveries = row.deliveries as unknown as Delivery[]
    const receipts = row.receipts as unknown as string[]
    return { payload, receipts, deliveries, holds: holds.get(Number(row.id)) ?? [] }
  })
}

/** What is asked of `decide`, with what the rule makes of deliveries. */
function caseOf(
  { payload, receipts, deliveries, holds }: Awaited<ReturnType<typeof retained>>[number],
  rule: RetentionRule | undefined,
  minimums: readonly LegalMinimum[],
) {
  const transferred_at = transferredAt(rule?.required_transfers ?? [], deliveries)
  const policy = { rules: rule ? [rule] : [], minimums }
  const transfers = deliveredBy(deliveries)
  return { payload: { ...payload, transferred_at }, policy, holds, receipts, transfers }
}

/** What stays although its time has come, by the decision itself. */
function stayingOf(
  payloads: Awaited<ReturnType<typeof retained>>,
  versions: readonly PolicyVersion[],
  minimums: { payload_type: (typeof PAYLOAD_TYPES)[number]; days: number }[],
  now: number,
) {
  const counts = new Map<string, number>()
  for (const each of payloads) {
    const { payload } = each
    const rule = ruleFor(payload, versions)
    if (!rule || payload.payload_state === 'Destroyed') continue
    const { delete_at, destroy_at, blocked_by } = decide(caseOf(each, rule, minimums), now)
    const at = delete_at ?? destroy_at
    if (!blocked_by.includes('basis_missing') && !(at !== null && at <= now)) continue
    for (const reason of blocked_by) {
      const name = `${TYPE_CODES[payload.payload_type]} ${reason}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  return [...counts]
    .map(([name, count]) => {
      const [type = '', reason = ''] = name.split(' ')
      return { payload_type: typeOfCode(Number(type)), reason, count }
    })
    .sort((a, b) => TYPE_CODES[a.payload_type] - TYPE_CODES[b.payload_type] || (a.reason < b.reason ? -1 : 1))
}

test(
  'what is counted as due is what the decision lets go, in random worlds of policies',
  { timeout: 120_000 },
  async () => {
    const payloads = await retained()
    const random = seeded(11)
    const some = <T>(list: readonly T[]) => list.filter(() => random() < 0.25)
    const days = () => (random() < 0.4 ? undefined : Math.floor(random() * 120))
    const entry = (payload_type: (typeof PAYLOAD_TYPES)[number]): RetentionEntry => ({
      entity_type: 'Payload',
      payload_type,
      delete_after_days: days(),
      destroy_after_days: days(),
      retention_timestamp: RETENTION_BASES[
        Math.floor(random() ** 2 * 4)
      ] as PayloadRetention['retention_timestamp'],
      required_receipts: some(APPS),
      required_transfers: random() < 0.3 ? some(['T1', 'T2']) : [],
    })
    const hasDays = (each: RetentionEntry) =>
      ('delete_after_days' in each && each.delete_after_days !== undefined) ||
      each.destroy_after_days !== undefined
    let counted = 0
    let stayed = 0
    for (let run = 0; run < 60; run++) {
      const now = WORLD_START + Math.floor(random() * 120) * DAY
      const versions: PolicyVersion[] = [1, 2, 3].map((n) => ({
        at: WORLD_START + n * 20 * DAY,
        entries: PAYLOAD_TYPES.filter(() => random() < 0.8)
          .map(entry)
          .filter(hasDays),
        applies_to_kept: random() < 0.5,
      }))
      const minimums = some(PAYLOAD_TYPES).map((payload_type) => ({
        payload_type,
        days: Math.floor(random() * 90),
      }))
      const told = await database.db.read(world.client_id, (q) =>
        countDue(
          q,
          { spans: ruleSpans(versions), minimums },
          PREVIEW_DAYS.map((ahead) => now + ahead * DAY),
        ),
      )
      const staying = await database.db.read(world.client_id, (q) =>
        countStaying(q, { spans: ruleSpans(versions), minimums }, now),
      )
      assert.deepEqual(staying, stayingOf(payloads, versions, minimums, now), `run ${run}`)
      stayed += staying.length
      for (const payload_type of PAYLOAD_TYPES) {
        const expected = PREVIEW_DAYS.map(
          (ahead) =>
            payloads.filter((each) => {
              const { payload } = each
              if (payload.payload_type !== payload_type) return false
              const rule = ruleFor(payload, versions)
              return decide(caseOf(each, rule, minimums), now + ahead * DAY).verdict !== 'keep'
            }).length,
        )
        const { counts = [0, 0, 0, 0] } = told.find((each) => each.payload_type === payload_type) ?? {}
        assert.deepEqual(counts, expected, `${payload_type} in run ${run}`)
        counted += counts.at(-1) ?? 0
      }
    }
    assert.ok(counted > 1000, `${counted}`)
    assert.ok(stayed > 500, `${stayed}`)
  },
)
