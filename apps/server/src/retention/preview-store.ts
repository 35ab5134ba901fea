import { type PayloadType, PREVIEW_DAYS } from '@custodia/contract'
import { type LegalMinimum, minimumDays, RESTING_STATES, type RuleSpan } from '@custodia/domain'
import { CLOCK, heldPayload } from '../legal-holds/store.ts'
import { STATE_CODES, TYPE_CODES, typeOfCode } from '../payloads/codes.ts'
import type { Queryable } from '../ports/database/lease.ts'

const DAY = 86_400

/** What counts for payloads: a rule for each span of announcements, and what the law asks for. */
export interface Standing {
  spans: readonly RuleSpan[]
  minimums: readonly LegalMinimum[]
}

/** Of one type: how many are due by each of `PREVIEW_DAYS`. */
export interface Due {
  payload_type: PayloadType
  counts: number[]
}

/**
 * How many payloads `decide` would let go, counted in one pass over those of the account: the same in SQL, which a test holds against it in
 * random worlds. Whoever is held now, or was within the days of grace, counts as held throughout. `at` is the second that was counted for, by
 * the database.
 */
export async function countDue(
  q: Queryable,
  { spans, minimums }: Standing,
  now?: number,
): Promise<{ at: number; due: Due[] }> {
  const rules = spans.map(({ from, until, rule }) => ({
    type: TYPE_CODES[rule.payload_type],
    // No bounds: from ever, for ever.
    from_at: from ?? 0,
    until_at: until ?? Number.MAX_SAFE_INTEGER,
    deletes: rule.delete_after_days ?? null,
    destroys: rule.destroy_after_days ?? null,
    basis: rule.retention_timestamp,
    receipts: rule.required_receipts,
    has_transfers: rule.required_transfers.length > 0,
    minimum: minimumDays(minimums, rule.payload_type),
  }))
  const { rows } = await q.query<{ type: number | null; at: number; counts: number[] }>(
    COUNT_DUE,
    [q.client_id, JSON.stringify(rules), now ?? null],
    'retention_due',
  )
  return {
    at: rows[0]?.at ?? 0,
    due: rows.flatMap(({ type, counts }) =>
      type === null ? [] : [{ payload_type: typeOfCode(type), counts }],
    ),
  }
}

/** States in which nothing waits: what was recorded and never came, or failed, needs a person who gives it up, and nobody can say so yet. */
const AT_REST = RESTING_STATES.filter((state) => state !== 'Recorded' && state !== 'Failed')
  .map((state) => STATE_CODES[state])
  .join(', ')

const RECORDED = 'case when p.is_late then greatest(p.payload_time, p.announced_at) else p.payload_time end'
/** Nothing says yet when something was transferred. */
const BASIS = `case s.basis when 'payload_time' then ${RECORDED} when 'processed_at' then p.processed_at
  when 'receipt_confirmed_at' then (select max(r.confirmed_at) from payload_receipts r
    where r.client_id = p.client_id and r.payload_id = p.payload_id and not r.is_person) end`
const DELETED_AT = `(select max(y.at) from payload_history y
  where y.client_id = p.client_id and y.payload_id = p.payload_id and y.to_state = ${STATE_CODES.Deleted})`

const COUNT_DUE = `
  with time as materialized (select coalesce($3::bigint, ${CLOCK}) as at),
  s as materialized (
    select * from jsonb_to_recordset($2::jsonb) s (type smallint, from_at bigint, until_at bigint, deletes int, destroys int, basis text,
      receipts text[], has_transfers bool, minimum int)
  ), due as (
    select p.type, p.payload_id, greatest(g.goes_at, ${RECORDED} + s.minimum::bigint * ${DAY}) as due_at
    from s join payloads p on p.type = s.type and p.announced_at >= s.from_at and p.announced_at < s.until_at
    cross join lateral (select ${BASIS} as basis) b
    cross join lateral (select case when p.state <> ${STATE_CODES.Deleted} or s.deletes is null
        then greatest(b.basis, p.restored_at) + coalesce(s.deletes, s.destroys)::bigint * ${DAY}
      else ${DELETED_AT} + s.destroys::bigint * ${DAY} end as goes_at) g
    where p.client_id = $1 and not s.has_transfers and b.basis is not null and g.goes_at is not null
      and coalesce(case when p.state = ${STATE_CODES.Deleted} then p.state_before_deletion else p.state end, 0) in (${AT_REST})
      and (cardinality(s.receipts) = 0 or s.receipts <@ (select array_agg(r.client_app_user) from payload_receipts r
        where r.client_id = p.client_id and r.payload_id = p.payload_id and not r.is_person))
  ), free as (
    select d.type, d.due_at from due d, time where d.due_at <= time.at + ${PREVIEW_DAYS.at(-1)} * ${DAY}
      and not exists (select from payloads p where p.client_id = $1 and p.payload_id = d.payload_id and ${heldPayload('$1')})
  ), counted as (
    select type, array[${PREVIEW_DAYS.map((days) => `count(*) filter (where due_at <= time.at + ${days} * ${DAY})`).join(', ')}]::int[] as counts
    from free, time group by type
  )
  select c.type, time.at, coalesce(c.counts, '{}') as counts from time left join counted c on true`
