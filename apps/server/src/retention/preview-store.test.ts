import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  DAY,
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
  type RetentionItem,
  type RetentionRule,
  ruleFor,
  ruleSpans,
  transferredAt,
} from '@custodia/domain'
import { getHoldPeriods } from '../held-records/store.ts'
import { stateIfAny, stateOfCode, TYPE_CODES, typeOfCode } from '../payload-records/codes.ts'
import { testDatabase } from '../testing/database.ts'
import { createFixture, FIXTURE_START } from '../testing/list-fixture.ts'
import { seeded } from '../testing/require-part.ts'
import { DELIVERIES } from '../transfers/store.ts'
import { countDue, countStaying } from './preview-store.ts'

const APPS = ['archive', 'risk']

const database = await testDatabase()
after(() => database.drop())
const fixture = await createFixture(database.db, 'acme', 12)
await fixture.add(600, seeded(5))
const { owner } = database.db
// Announced late, deleted from all states, restored, confirmed by apps and people.
await owner.query(
  `begin;
   set local session_replication_role = replica;
   select setseed(0.4);
   update payloads set announced_at = payload_time + (random() * 30)::int * ${DAY},
     restored_at = case when random() < 0.2 then payload_time + (random() * 60)::int * ${DAY} end;
   update payloads set is_legacy = true where random() < 0.3;
   insert into migration_runs (client_id, migration_reference, migration_state, is_dry_run, created_at, created_by, migrated_at, filename, signed_off_at, signed_off_by)
   select distinct client_id, run, 'Migrated', false, 1, 'alice', 1, '', case run when 'M1' then 2 end, case run when 'M1' then 'alice' end
   from payloads, unnest(array['M1', 'M2']) run;
   insert into migration_results (client_id, migration_reference, sequence, result_type, kind, item, filename, payload_id)
   select client_id, run, payload_id, 'PayloadCreated', 'Payload', payload_id, 'p.csv', payload_id from payloads, unnest(array['M1', 'M2']) run
   where is_legacy and (run = 'M1' or payload_id % 3 = 0);
   update payloads set is_late = true where state in (2, 7) and random() < 0.7;
   insert into payload_write_offs (client_id, payload_id, at, by)
   select client_id, payload_id, coalesce(uploaded_at, 0) + (random() * 4)::int - 1, 'alice' from payloads where random() < 0.6;
   update payloads set state = 9, state_before_deletion = case when random() < 0.9 then state end where state < 9 and random() < 0.3;
   insert into payload_removed (client_id, state, service, payload_time, payload_id, group_id, type)
   select client_id, state, service, payload_time, payload_id, group_id, type from payloads where state = 9 on conflict do nothing;
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

/** The facts for `decide` of each payload. */
async function retained() {
  const { rows } = await database.db.owner.query(
    `select p.*, p.payload_id::int as id,
       (select max(at) from payload_history h where h.payload_id = p.payload_id and h.to_state = 9) as deleted_at,
       coalesce((select array_agg(client_app_user) from payload_receipts r where r.payload_id = p.payload_id and not is_person), '{}') as receipts,
       (select max(confirmed_at) from payload_receipts r where r.payload_id = p.payload_id and not is_person) as receipt_confirmed_at
       , exists (select from migration_results m where m.payload_id = p.payload_id and m.migration_reference = 'M2') as awaits_sign_off
       , exists (select from payload_write_offs a where a.payload_id = p.payload_id and a.at >= coalesce(p.uploaded_at, 0)) as is_written_off,
       ${DELIVERIES} as deliveries
     from payloads p`,
  )
  const holds = await database.db.read(fixture.client_id, (q) =>
    getHoldPeriods(
      q,
      rows.map(({ id }: { id: number }) => id),
    ),
  )
  return rows.map(
    (
      row: Record<string, number & string[]> & {
        is_late: boolean
        is_written_off: boolean
        awaits_sign_off: boolean
      },
    ) => {
      const number = (name: string) => (row[name] === null ? null : Number(row[name]))
      const payload: RetentionItem = {
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
        is_written_off: row.is_written_off,
        awaits_sign_off: row.awaits_sign_off,
      }
      const deliveries = row.deliveries as unknown as Delivery[]
      const receipts = row.receipts as unknown as string[]
      return { payload, receipts, deliveries, holds: holds.get(Number(row.id)) ?? [] }
    },
  )
}

/** Input of `decide`, with delivery times by rule. */
function getCase(
  { payload, receipts, deliveries, holds }: Awaited<ReturnType<typeof retained>>[number],
  rule: RetentionRule | undefined,
  minimums: readonly LegalMinimum[],
) {
  const transferred_at = transferredAt(rule?.required_transfers ?? [], deliveries)
  const policy = { rules: rule ? [rule] : [], minimums }
  const transfers = deliveredBy(deliveries)
  return { payload: { ...payload, transferred_at }, policy, holds, receipts, transfers }
}

/** Due payloads that stay, by `decide`. */
function getStaying(
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
    const { delete_at, destroy_at, blocked_by } = decide(getCase(each, rule, minimums), now)
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
  'the preview counts exactly the payloads that the decision makes due, for random policies',
  { timeout: 240_000 },
  async () => {
    const payloads = await retained()
    const random = seeded(11)
    const some = <T>(list: readonly T[]) => list.filter(() => random() < 0.25)
    const days = () => (random() < 0.4 ? undefined : Math.floor(random() * 120))
    const entry = (
      payload_type: (typeof PAYLOAD_TYPES)[number],
      bases: typeof RETENTION_BASES,
    ): RetentionEntry => ({
      entity_type: 'Payload',
      payload_type,
      delete_after_days: days(),
      destroy_after_days: days(),
      retention_timestamp: (bases[Math.floor(random() ** 2 * 4)] ??
        bases[0]) as PayloadRetention['retention_timestamp'],
      required_receipts: some(APPS),
      required_transfers: random() < 0.3 ? some(['T1', 'T2']) : [],
    })
    const hasDays = (each: RetentionEntry) =>
      ('delete_after_days' in each && each.delete_after_days !== undefined) ||
      each.destroy_after_days !== undefined
    let counted = 0
    let stayed = 0
    let unsigned = 0
    for (let run = 0; run < 40; run++) {
      const now = FIXTURE_START + Math.floor(random() * 120) * DAY
      const bases = run % 4 === 0 ? (['payload_time'] as unknown as typeof RETENTION_BASES) : RETENTION_BASES
      const versions: PolicyVersion[] = [1, 2, 3].map((n) => ({
        at: FIXTURE_START + n * 20 * DAY,
        entries: PAYLOAD_TYPES.filter(() => random() < 0.8)
          .map((payload_type) => entry(payload_type, bases))
          .filter(hasDays),
        applies_to_kept: random() < 0.5,
      }))
      const minimums = some(PAYLOAD_TYPES).map((payload_type) => ({
        payload_type,
        days: Math.floor(random() * 90),
      }))
      const status = { spans: ruleSpans(versions), minimums }
      const [result, present] = await database.db.read(fixture.client_id, async (q) => [
        await countDue(
          q,
          status,
          PREVIEW_DAYS.map((ahead) => now + ahead * DAY),
        ),
        // Without a look ahead young payloads are left out.
        await countDue(q, status, [now]),
      ])
      const staying = await database.db.read(fixture.client_id, (q) => countStaying(q, status, now))
      assert.deepEqual(staying, getStaying(payloads, versions, minimums, now), `run ${run}`)
      stayed += staying.length
      unsigned += staying.filter(({ reason }) => reason === 'sign_off_missing').length
      for (const payload_type of PAYLOAD_TYPES) {
        const decided = payloads.flatMap((each) =>
          each.payload.payload_type === payload_type
            ? [decide(getCase(each, ruleFor(each.payload, versions), minimums), now)]
            : [],
        )
        const expected = (act: 'delete_at' | 'destroy_at') =>
          PREVIEW_DAYS.map(
            (ahead) =>
              decided.filter(
                ({ [act]: at, blocked_by }) =>
                  blocked_by.length === 0 && at !== null && at <= now + ahead * DAY,
              ).length,
          )
        const none = [0, 0, 0, 0]
        const { deleted, destroyed } = result.find((each) => each.payload_type === payload_type) ?? {
          deleted: none,
          destroyed: none,
        }
        const name = `${payload_type} in run ${run}`
        assert.equal(
          present.find((each) => each.payload_type === payload_type)?.deleted[0] ?? 0,
          deleted[0],
          `${name}, now`,
        )
        assert.deepEqual(
          { deleted, destroyed },
          { deleted: expected('delete_at'), destroyed: expected('destroy_at') },
          name,
        )
        counted += (deleted.at(-1) ?? 0) + (destroyed.at(-1) ?? 0)
      }
    }
    assert.ok(counted > 600, `${counted}`)
    assert.ok(stayed > 300, `${stayed}`)
    assert.ok(unsigned > 10, `${unsigned}`)
  },
)
