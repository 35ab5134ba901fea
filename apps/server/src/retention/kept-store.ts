import type { PayloadType, RetentionBlock } from '@custodia/contract'
import type { LegalMinimum } from '@custodia/domain'
import { heldPayload } from '../held-records/store.ts'
import { STATE_CODES, TYPE_CODES, typeOfCode } from '../payload-records/codes.ts'
import { AWAITS_SIGN_OFF } from '../payload-records/store.ts'
import type { Queryable } from '../ports/database/lease.ts'
import {
  APPLIES,
  ARRIVED,
  CONFIRMED,
  GOES_BY,
  RECORDED,
  FINAL,
  RULES,
  getRules,
  type Status,
  WAITS,
  WORKED_OUT,
} from './preview-store.ts'

const DAY = 86_400

/** Payloads of one type and rule span, or without a rule. Times in epoch seconds; null: none. */
export interface KeptGroup {
  payload_type: PayloadType
  /** Index of the span; null: no rule applies. */
  span: number | null
  is_destroyed: boolean
  count: number
  first_at: number
  last_at: number
  deleted: number
  delete_first: number | null
  delete_last: number | null
  destroy_first: number | null
  destroy_last: number | null
  /** Number that the legal minimum keeps now, and the end of the last. */
  minimum_keeps: number
  minimum_until: number | null
  held: number
  waits: { reason: RetentionBlock; count: number }[]
}

/** Other reasons to keep a payload; holds are counted separately. */
const REASONS = [
  'under_way',
  'not_written_off',
  'basis_missing',
  'receipts_missing',
  'transfers_missing',
  'sign_off_missing',
] as const satisfies readonly RetentionBlock[]

/**
 * Counts in SQL what `decide` says at `now` for these payloads; a test compares both.
 * @param idsSql SQL of distinct payload ids, with its further parameters
 */
export async function countKept(
  q: Queryable,
  status: Status,
  now: number,
  idsSql: (values: unknown[]) => Promise<string | undefined>,
): Promise<KeptGroup[]> {
  const values: unknown[] = [q.client_id, getRules(status), [now], getMinimums(status.minimums)]
  const ids = await idsSql(values)
  if (ids === undefined) return []
  const { rows } = await q.query<Row>(countSql(ids), values, 'unprepared')
  return rows.map(
    ({
      type,
      under_way,
      not_written_off,
      basis_missing,
      receipts_missing,
      transfers_missing,
      sign_off_missing,
      ...counted
    }) => {
      const waiting = {
        under_way,
        not_written_off,
        basis_missing,
        receipts_missing,
        transfers_missing,
        sign_off_missing,
      }
      const waits = REASONS.map((reason) => ({ reason, count: waiting[reason] })).filter(
        ({ count }) => count > 0,
      )
      return { ...counted, payload_type: typeOfCode(type), waits }
    },
  )
}

type Row = Omit<KeptGroup, 'payload_type' | 'waits'> & { type: number } & Record<
    (typeof REASONS)[number],
    number
  >

const getMinimums = (minimums: readonly LegalMinimum[]): string =>
  JSON.stringify(minimums.map(({ payload_type, days }) => ({ type: TYPE_CODES[payload_type], days })))

/** A destroyed payload only has a count and times. */
const IS_THERE = `p.state <> ${STATE_CODES.Destroyed}`
/** Whether the due time is known: it needs a basis, or a deletion from which the days count. */
const IS_KNOWN = `${IS_THERE} and (b.basis is not null or p.state = ${STATE_CODES.Deleted} and s.deletes is not null) and g.goes_at is not null`

const IS_RULED = `${IS_THERE} and s.span is not null`

const countSql = (ids: string) => `
  with ${RULES}, mine as materialized (${ids}), least as materialized (
    select * from jsonb_to_recordset($4::jsonb) l (type smallint, days int)
  ), decided as materialized (
    select p.type, s.span, p.state, p.payload_time, ${IS_THERE} and ${heldPayload('$1')} as held,
      case when ${IS_KNOWN} then e.delete_at end as delete_at, case when ${IS_KNOWN} then f.destroy_at end as destroy_at,
      case when ${IS_THERE} then ${RECORDED} + l.days::bigint * ${DAY} end as minimum_at,
      ${IS_THERE} and z.state not in (${FINAL}) as under_way, ${IS_THERE} and ${WAITS} as not_written_off,
      ${IS_RULED} and b.basis is null as basis_missing, ${IS_RULED} and not ${CONFIRMED} as receipts_missing,
      ${IS_RULED} and not ${ARRIVED} as transfers_missing,
      ${IS_THERE} and ${AWAITS_SIGN_OFF} as sign_off_missing
    from mine join payloads p using (payload_id) left join s on ${APPLIES} left join least l on l.type = p.type
    ${WORKED_OUT} ${GOES_BY}
    where p.client_id = $1
  )
  select type, span, state = ${STATE_CODES.Destroyed} as is_destroyed, count(*)::int as count,
    min(payload_time) as first_at, max(payload_time) as last_at,
    count(*) filter (where state = ${STATE_CODES.Deleted})::int as deleted,
    min(delete_at) as delete_first, max(delete_at) as delete_last, min(destroy_at) as destroy_first, max(destroy_at) as destroy_last,
    count(*) filter (where minimum_at > $3[1])::int as minimum_keeps, max(minimum_at) filter (where minimum_at > $3[1]) as minimum_until,
    count(*) filter (where held)::int as held,
    ${REASONS.map((reason) => `count(*) filter (where ${reason})::int as ${reason}`).join(', ')}
  from decided group by 1, 2, 3 order by 1, 2, 3`
