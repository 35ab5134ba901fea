import {
  DAY,
  MISSING_LIMIT,
  type MissingPayload,
  type MissingReason,
  type PayloadType,
  SERVICES,
} from '@custodia/contract'
import type { PayloadReach } from '@custodia/domain'
import { getCodes, SERVICE_CODES, STATE_CODES, typeOfCode } from '../../payload-records/codes.ts'
import { lanesSql } from '../../payloads/lanes-sql.ts'
import { binder } from '../../ports/database/binder.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { LATE } from '../item-store.ts'

/** Captured payloads of a config: its types and those delivered under earlier settings. */
export interface ReconciledConfig {
  transfer_config_reference: string
  payload_types: readonly PayloadType[]
  /** What the role allows; other payloads are only counted. */
  reach: PayloadReach
}

/** Half-open period of payload time. */
export interface Span {
  from: number
  to: number
}

export interface DayCounts {
  captured: number
  delivered: number
  missing: number
  reasons: { reason: MissingReason; count: number }[]
}
export interface DayFigures extends DayCounts {
  delivered_sha256: string
  missing_sha256: string
  missing_payloads: MissingPayload[]
}

const SERVICE_LIST = SERVICES.map((service) => SERVICE_CODES[service]).join()
const READ = `client_id, payload_id, payload_reference, type, state, group_id, processed_at`

/**
 * SQL: payloads of days ($4, $5) with the reason when not delivered, null when delivered. Distinguishes missed payloads
 * from those of the next window.
 */
const capturedSql = (within: string) => `
  select p.payload_reference, p.type, p.payload_time, p.payload_time - p.payload_time % ${DAY} as day, a.decrypted_checksum, case
      when a.payload_id is not null then null
      when not ${within} then 'not_permitted'
      when p.state = ${STATE_CODES.Recorded} then 'not_uploaded'
      when p.state in (${STATE_CODES.Uploaded}, ${STATE_CODES.Scanning}) then 'being_processed'
      when p.state = ${STATE_CODES.Failed} then 'processing_failed'
      when p.state = ${STATE_CODES.Quarantined} then 'quarantined'
      when p.state in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed}) then 'deleted'
      when i.transfer_state = 'Failed' then 'transfer_failed'
      when i.payload_id is null and p.processed_at < g.gathered_to - ${LATE} then 'not_taken'
      else 'waiting' end as reason
  from (
    select ${READ}, payload_time from payloads
    where client_id = $1 and service in (${SERVICE_LIST}) and claimed_time is null and payload_time >= $4 and payload_time < $5
    union all
    select ${READ}, claimed_time from payloads where client_id = $1 and claimed_time >= $4 and claimed_time < $5
  ) p
  left join transfer_audit a on a.client_id = p.client_id and a.transfer_config_reference = $2 and a.payload_id = p.payload_id
  left join transfer_items i on i.client_id = p.client_id and i.transfer_config_reference = $2 and i.payload_id = p.payload_id
  cross join (select least(c.gathered_to, (select min(coalesce(r.report_from, 0)) from transfer_runs r
      where r.client_id = $1 and r.transfer_config_reference = $2 and r.transfer_state = 'Pending')) as gathered_to
    from transfer_configs c where c.client_id = $1 and c.transfer_config_reference = $2) g
  where p.type = any($3) or a.payload_id is not null`

function captured(
  q: Queryable,
  of: ReconciledConfig,
  { from, to }: Span,
): { sql: string; values: unknown[] } {
  const { bind, values } = binder([
    q.client_id,
    of.transfer_config_reference,
    getCodes(of.payload_types),
    from,
    to,
  ])
  return { sql: capturedSql(lanesSql(of.reach, bind, 'p')), values }
}

/** Time of the first payload; undefined without one. */
export async function firstTime(q: Queryable): Promise<number | undefined> {
  return (
    (await q.value<number | null>(
      `select min(m.first) as first from unnest(array[${SERVICE_LIST}]::smallint[]) s
     cross join lateral (select min(p.payload_time) as first from payloads p where p.client_id = $1 and p.service = s) m`,
      [q.client_id],
    )) ?? undefined
  )
}

/** Counts of days with captured payloads. */
export async function countDays(
  q: Queryable,
  of: ReconciledConfig,
  span: Span,
): Promise<Map<number, DayCounts>> {
  const { sql, values } = captured(q, of, span)
  const { rows } = await q.query<{ day: number; reason: MissingReason | null; count: number }>(
    `select day, reason, count(*)::int as count from (${sql}) x group by day, reason order by day, reason`,
    values,
    'unprepared',
  )
  const days = new Map<number, DayCounts>()
  for (const { day, reason, count } of rows) {
    const counts = days.get(day) ?? { captured: 0, delivered: 0, missing: 0, reasons: [] }
    counts.captured += count
    if (reason === null) counts.delivered += count
    else {
      counts.missing += count
      counts.reasons.push({ reason, count })
    }
    days.set(day, counts)
  }
  return days
}

type MissingRow = Omit<MissingPayload, 'payload_type'> & { type: number }
type FigureRow = Omit<DayFigures, 'captured' | 'delivered' | 'missing' | 'reasons' | 'missing_payloads'> & {
  delivered: number
  reasons: DayCounts['reasons']
  missing_payloads: MissingRow[]
}

/** SQL: missing payloads that the role allows to name. */
const NAMED = `reason <> 'not_permitted'`

/** Counts and at most `most` missing payloads of one day in one snapshot. */
export async function readDay(
  q: Queryable,
  of: ReconciledConfig,
  day: number,
  most = MISSING_LIMIT,
): Promise<DayFigures> {
  const digest = (line: string, which: string) =>
    `encode(sha256(convert_to(coalesce(string_agg(${line} || E'\\n', '' order by payload_reference) filter (where ${which}), ''), 'UTF8')), 'hex')`
  const { sql, values } = captured(q, of, { from: day, to: day + DAY })
  const row = await q.row<FigureRow>(
    `with captured as materialized (${sql})
     select count(*) filter (where reason is null)::int as delivered,
       ${digest(`payload_reference || ' ' || decrypted_checksum`, 'reason is null')} as delivered_sha256,
       ${digest(`payload_reference || ' ' || reason`, NAMED)} as missing_sha256,
       (select coalesce(jsonb_agg(jsonb_build_object('reason', reason, 'count', count) order by reason), '[]')
        from (select reason, count(*) from captured where reason is not null group by reason) r) as reasons,
       (select coalesce(jsonb_agg(to_jsonb(m) order by payload_reference), '[]')
        from (select payload_reference, type, payload_time, reason from captured where ${NAMED}
          order by payload_reference limit ${most}) m) as missing_payloads
     from captured`,
    values,
    'unprepared',
  )
  if (!row) throw new Error('an aggregate returned no row')
  const missing = row.reasons.reduce((sum, { count }) => sum + count, 0)
  return {
    ...row,
    captured: row.delivered + missing,
    missing,
    missing_payloads: row.missing_payloads.map(({ type, ...payload }) => ({
      ...payload,
      payload_type: typeOfCode(type) as MissingPayload['payload_type'],
    })),
  }
}
