import { DAY, type PayloadType, type RetentionBlock, getService, SERVICES } from '@custodia/contract'
import { type LegalMinimum, FINAL_STATES, type RuleSpan } from '@custodia/domain'
import { heldPayload } from '../held-records/store.ts'
import { SERVICE_CODES, STATE_CODES, TYPE_CODES, typeOfCode } from '../payload-records/codes.ts'
import { APP_RECEIPTS, AWAITS_SIGN_OFF } from '../payload-records/store.ts'
import { WRITTEN_OFF } from '../payloads/store.ts'
import type { Queryable } from '../ports/database/lease.ts'

/** Rules by span of announcement, and legal minimums. */
export interface Status {
  spans: readonly RuleSpan[]
  minimums: readonly LegalMinimum[]
}

/** Counts of one type due for each act at each requested time. */
export interface DueCounts {
  payload_type: PayloadType
  deleted: number[]
  destroyed: number[]
}

/**
 * Counts payloads due at each time (epoch seconds, ascending, first is now); equals `decide`, which a random test
 * checks. A subject on hold or in its grace period counts as held throughout.
 */
export async function countDue(q: Queryable, status: Status, times: readonly number[]): Promise<DueCounts[]> {
  const { rows } = await q.query<Omit<DueCounts, 'payload_type'> & { type: number }>(
    countDueBy(times.length),
    [q.client_id, getRules(status), times, lastOld(status, times.at(-1) ?? 0)],
  )
  return rows.map(({ type, ...counts }) => ({ payload_type: typeOfCode(type), ...counts }))
}

/** Count of due payloads of one type that stay, by reason. */
export interface BlockedCount {
  payload_type: PayloadType
  reason: RetentionBlock
  count: number
}

/** Counts due payloads that stay, by each reason of `decide`. */
export async function countStaying(q: Queryable, status: Status, now: number): Promise<BlockedCount[]> {
  // Payloads of any age may lack another basis.
  const isByRecording = status.spans.every(({ rule }) => rule.retention_timestamp === 'payload_time')
  const { rows } = await q.query<Omit<BlockedCount, 'payload_type'> & { type: number }>(COUNT_STAYING, [
    q.client_id,
    getRules(status),
    now,
    isByRecording ? lastOld(status, now) : SERVICES.map(() => Number.MAX_SAFE_INTEGER),
  ])
  return rows.map(({ type, ...counted }) => ({ payload_type: typeOfCode(type), ...counted }))
}

/** Per service, in the order of the codes: the last recording time of a payload, not deleted yet, that is old enough to go. */
const lastOld = ({ spans }: Status, at: number): number[] =>
  SERVICES.map((service) =>
    Math.max(
      0,
      ...spans.map(({ rule: { payload_type, delete_after_days, destroy_after_days } }) =>
        getService(payload_type) === service ? at - DAY * (delete_after_days ?? destroy_after_days ?? at) : 0,
      ),
    ),
  )
/** Payloads `p` of at most these recording times in $4, and all deleted ones. Each part reads its own index. */
const OLD_PAYLOADS = `(
      ${SERVICES.map(
        (service, i) => `select * from payloads where client_id = $1 and service = ${SERVICE_CODES[service]}
        and payload_time <= ($4::bigint[])[${i + 1}] and state <> ${STATE_CODES.Deleted} union all`,
      ).join('\n      ')}
      select d.* from payload_removed r join payloads d on d.client_id = $1 and d.payload_id = r.payload_id
      where r.client_id = $1 and r.state = ${STATE_CODES.Deleted}) p`

/** Value of $2 for statements with `RULES`. */
export const getRules = ({ spans, minimums }: Status): string =>
  JSON.stringify(
    spans.map(({ from, until, rule }, span) => ({
      span,
      type: TYPE_CODES[rule.payload_type],
      // Open bounds are infinite.
      from_at: from ?? 0,
      until_at: until ?? Number.MAX_SAFE_INTEGER,
      deletes: rule.delete_after_days ?? null,
      destroys: rule.destroy_after_days ?? null,
      basis: rule.retention_timestamp,
      receipts: rule.required_receipts,
      transfers: rule.required_transfers,
      // Null is no bound; 0 days ends at the recording.
      minimum: minimums.find(({ payload_type }) => payload_type === rule.payload_type)?.days ?? null,
    })),
  )

export const FINAL = FINAL_STATES.map((state) => STATE_CODES[state]).join(', ')
/** A payload that never arrived or failed waits until it is late and written off. */
export const WAITS = `(z.state in (${STATE_CODES.Recorded}, ${STATE_CODES.Failed}) and not (p.is_late and exists (select from payload_write_offs a where ${WRITTEN_OFF})))`

/** The recording time; a late arrival counts from its arrival. */
export const RECORDED =
  'case when p.is_late then greatest(p.payload_time, p.announced_at) else p.payload_time end'
/** First delivery of each transfer config. */
const DELIVERED = `transfer_items i where i.client_id = p.client_id and i.payload_id = p.payload_id and i.transferred_at is not null`
const BASIS = `case s.basis when 'payload_time' then ${RECORDED} when 'processed_at' then p.processed_at
  when 'transferred_at' then case when cardinality(s.transfers) = 0 then (select min(i.transferred_at) from ${DELIVERED})
    else (select max(i.transferred_at) from ${DELIVERED} and i.transfer_config_reference = any(s.transfers)) end
  when 'receipt_confirmed_at' then (select max(r.confirmed_at) from ${APP_RECEIPTS}) end`
const DELETED_AT = `(select max(y.at) from payload_history y
  where y.client_id = p.client_id and y.payload_id = p.payload_id and y.to_state = ${STATE_CODES.Deleted})`

/** Rules of `$2` by span of announcement. */
export const RULES = `s as materialized (
    select * from jsonb_to_recordset($2::jsonb) s (span int, type smallint, from_at bigint, until_at bigint, deletes int, destroys int, basis text,
      receipts text[], transfers text[], minimum int)
  )`

/** Whether rule `s` applies to payload `p`. */
export const APPLIES = 'p.type = s.type and p.announced_at >= s.from_at and p.announced_at < s.until_at'
/** Basis and due time of payload `p` under rule `s`; null: never. */
export const WORKED_OUT = `cross join lateral (select ${BASIS} as basis) b
    cross join lateral (select case when p.state <> ${STATE_CODES.Deleted} or s.deletes is null
        then greatest(b.basis, p.restored_at) + coalesce(s.deletes, s.destroys)::bigint * ${DAY}
      else ${DELETED_AT} + s.destroys::bigint * ${DAY} end as goes_at) g
    cross join lateral (select coalesce(case when p.state = ${STATE_CODES.Deleted} then p.state_before_deletion else p.state end, 0) as state) z`
/** Whether payload `p` is old enough to go at a time under rule `s`, whatever its basis says. */
const isOld = (time: string) => `p.payload_time <= ${time} - ${DAY} * (case
    when p.state = ${STATE_CODES.Deleted} then s.destroys else coalesce(s.deletes, s.destroys) end)::bigint`

/** Not before the legal minimum. */
const DUE_AT = `greatest(g.goes_at, ${RECORDED} + s.minimum::bigint * ${DAY})`

export const CONFIRMED = `(cardinality(s.receipts) = 0 or s.receipts <@ coalesce((select array_agg(r.client_app_user) from ${APP_RECEIPTS}), '{}'))`

export const ARRIVED = `(cardinality(s.transfers) = 0 or s.transfers <@ coalesce((select array_agg(i.transfer_config_reference) from ${DELIVERED}), '{}'))`

/** Times of deletion and destruction; an overdue deletion counts at the first time. */
export const GOES_BY = `
    cross join lateral (select case when p.state <> ${STATE_CODES.Deleted} and s.deletes is not null then ${DUE_AT} end as delete_at) e
    cross join lateral (select case when e.delete_at is null then ${DUE_AT}
      else greatest(e.delete_at, ($3::bigint[])[1]) + s.destroys::bigint * ${DAY} end as destroy_at) f`

const countDueBy = (times: number) => {
  const by = (column: string) =>
    `array[${Array.from({ length: times }, (_, i) => `count(*) filter (where ${column} <= ($3::bigint[])[${i + 1}])`).join(', ')}]::int[]`
  // Holds cost most, so they are asked of what is due, and not of each payload.
  return `
  with ${RULES}, due as materialized (
    select p.type, p.payload_id, e.delete_at, f.destroy_at
    from s join ${OLD_PAYLOADS} on ${APPLIES} and ${isOld(`($3::bigint[])[${times}]`)} ${WORKED_OUT} ${GOES_BY}
    where p.client_id = $1 and ${ARRIVED} and b.basis is not null and g.goes_at is not null
      and z.state in (${FINAL}) and not ${WAITS} and ${CONFIRMED} and not ${AWAITS_SIGN_OFF}
      and least(e.delete_at, f.destroy_at) <= ($3::bigint[])[${times}]
  ), free as (
    select d.type, d.delete_at, d.destroy_at from due d
    where not exists (select from payloads p where p.client_id = $1 and p.payload_id = d.payload_id and ${heldPayload('$1')})
  )
  select type, ${by('delete_at')} as deleted, ${by('destroy_at')} as destroyed
  from free group by type`
}

const COUNT_STAYING = `
  with ${RULES}, overdue as (
    select p.payload_id, p.type, z.state, ${WAITS} as waits, b.basis is null as basis_missing, ${ARRIVED} as is_delivered, ${CONFIRMED} as is_confirmed, ${AWAITS_SIGN_OFF} as is_unsigned
    from s join ${OLD_PAYLOADS} on ${APPLIES} and (s.basis <> 'payload_time' or ${isOld('$3')}) ${WORKED_OUT}
    where p.client_id = $1 and p.state <> ${STATE_CODES.Destroyed}
      and (b.basis is null or g.goes_at is not null and ${DUE_AT} <= $3)
  )
  select o.type, reason, count(*)::int as count from overdue o
  cross join lateral unnest(array_remove(array[
    case when o.state not in (${FINAL}) then 'under_way' end,
    case when o.waits then 'not_written_off' end,
    case when o.basis_missing then 'basis_missing' end,
    case when not o.is_confirmed then 'receipts_missing' end,
    case when not o.is_delivered then 'transfers_missing' end,
    case when o.is_unsigned then 'sign_off_missing' end,
    case when exists (select from payloads p where p.client_id = $1 and p.payload_id = o.payload_id and ${heldPayload('$1')}) then 'held' end
  ], null)) reason
  group by o.type, reason order by o.type, reason`
