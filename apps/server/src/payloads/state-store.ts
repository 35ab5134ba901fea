import type { FailureCode, PayloadState } from '@custodia/contract'
import { STATE_CODES } from '../payload-records/codes.ts'
import type { Tx } from '../ports/database/lease.ts'

interface Moves {
  payload_ids: readonly number[]
  /** A payload moves only from one of these. */
  from: readonly PayloadState[]
  to: PayloadState
  /** Epoch seconds. */
  now: number
  /** The actor. */
  by: string
  failure?: FailureCode | undefined
}

type Move = Omit<Moves, 'payload_ids'> & { payload_id: number }

/**
 * Moves a payload to another state, with its history and change number, in the caller's transaction. False when it is
 * in none of the expected states; then nothing changes.
 */
export async function moveState(tx: Tx, { payload_id, ...move }: Move): Promise<boolean> {
  return (await moveStates(tx, { ...move, payload_ids: [payload_id] })).size === 1
}

/** Like `moveState` for many; resolves to the moved ones. */
export async function moveStates(tx: Tx, moves: Moves): Promise<Set<number>> {
  if (moves.payload_ids.length === 0) return new Set()
  return new Set(
    await tx.column<number>(MOVE, [
      tx.client_id,
      moves.payload_ids,
      moves.from.map((state) => STATE_CODES[state]),
      STATE_CODES[moves.to],
      moves.now,
      moves.failure ?? null,
      moves.by,
    ]),
  )
}

/** Gives changed payloads their new change number. */
export async function touchChange(tx: Tx, payload_ids: readonly number[], now: number): Promise<void> {
  await tx.query('update payload_changes set updated_at = $2 where payload_id = any($1)', [payload_ids, now])
}

// Locked in a fixed order, so that two batches cannot deadlock.
const MOVE = `
  with old as materialized (
    select payload_id, state from payloads
    where client_id = $1 and payload_id = any($2) and state = any($3::smallint[]) order by payload_id for update
  ), moved as (
    update payloads p set state = $4::smallint, updated_at = $5, failure = $6,
      uploaded_at = case when $4::smallint = ${STATE_CODES.Uploaded} then $5 else p.uploaded_at end,
      processed_at = case when $4::smallint = ${STATE_CODES.Processed} then $5 else p.processed_at end
    from old where p.payload_id = old.payload_id
    returning p.payload_id, old.state as from_state
  ), noted as (
    insert into payload_history (client_id, payload_id, at, from_state, to_state, reason, by)
    select $1, payload_id, $5, from_state, $4::smallint, $6, $7 from moved
  ), changed as (
    update payload_changes c set updated_at = $5,
      processed_at = case when $4::smallint = ${STATE_CODES.Processed} then $5 else c.processed_at end
    from moved where c.payload_id = moved.payload_id and (c.updated_at <> $5 or $4::smallint = ${STATE_CODES.Processed})
  )
  select payload_id from moved`

/** Removes finished payloads from the sweep. */
export async function leaveWork(tx: Tx, payload_ids: readonly number[]): Promise<void> {
  await tx.query('delete from payload_work where client_id = $1 and payload_id = any($2)', [
    tx.client_id,
    payload_ids,
  ])
}

/** The received bytes were wrong: the next upload gets another key. */
export async function countRejection(tx: Tx, payload_id: number): Promise<void> {
  await tx.query('update payloads set rejected_count = rejected_count + 1 where payload_id = $1', [
    payload_id,
  ])
}

/** The keys of a payload's counters. */
export interface CounterKeys {
  client_id: number
  service: number
  type: number
  group_id: number
  payload_time: number
}

/** Parts of a row of `payload_counts`: the days of a month, or the months of a year and zeros. */
export const COUNTED_PARTS = 31

const getStart = (unit: 'month' | 'year') =>
  `extract(epoch from date_trunc('${unit}', at) at time zone 'UTC')::bigint`

/**
 * SQL for rows of `payload_counts` from rows of payloads, each counted `n` times: per type and group, and for all types
 * and all groups together.
 */
export const countsSql = (payloads: string): string => `
  select client_id, service, coalesce(type, 0::smallint) as type, coalesce(group_id, 0) as group_id, grain, start, sum(n)::int as total,
    array[${Array.from({ length: COUNTED_PARTS }, (_, i) => `coalesce(sum(n) filter (where part = ${i + 1}), 0)::int`).join(', ')}] as parts
  from (select x.*, to_timestamp(payload_time) at time zone 'UTC' as at from (${payloads}) x) dated
  cross join lateral (values ('m'::"char", ${getStart('month')}, extract(day from at)::int),
    ('y'::"char", ${getStart('year')}, extract(month from at)::int)) g (grain, start, part)
  group by client_id, service, grain, start, grouping sets ((type, group_id), (type), (group_id), ())`

/** SQL condition: not all parts are zero. */
export const HAS_PARTS = `parts <> array_fill(0, array[${COUNTED_PARTS}])`

/** Adds the payloads in `$1` (JSON of `Counted` with `n`) in the order of the key, so that batches cannot deadlock. */
export const COUNT_PAYLOADS = `
  insert into payload_counts as c (client_id, service, type, group_id, grain, start, total, parts)
  select * from (${countsSql(`select * from jsonb_to_recordset($1::jsonb)
    as x(client_id int, service smallint, type smallint, group_id int, payload_time bigint, n int)`)}) added
  where ${HAS_PARTS} order by client_id, grain, service, type, group_id, start
  on conflict (client_id, grain, service, type, group_id, start) do update set total = c.total + excluded.total,
    parts = array[${Array.from({ length: COUNTED_PARTS }, (_, i) => `c.parts[${i + 1}] + excluded.parts[${i + 1}]`).join()}]`

/** Counts payloads. `n` is 1 for new payloads and -1 for removed ones. */
export async function countPayloads(tx: Tx, rows: readonly CounterKeys[], n: 1 | -1 = 1): Promise<void> {
  if (rows.length === 0) return
  const items = rows.map(({ client_id, service, type, group_id, payload_time }) => ({
    client_id,
    service,
    type,
    group_id,
    payload_time,
    n,
  }))
  await tx.query(COUNT_PAYLOADS, [JSON.stringify(items)])
}

/** A reassigned payload with its counter keys. */
export type MovedPayload = Omit<CounterKeys, 'group_id'> & { from_group: number; to_group: number }

/** Moves payloads from the counts of one group to another. */
export async function countMoved(tx: Tx, rows: readonly MovedPayload[]): Promise<void> {
  if (rows.length === 0) return
  const items = rows.flatMap(({ from_group, to_group, ...row }) => [
    { ...row, group_id: from_group, n: -1 },
    { ...row, group_id: to_group, n: 1 },
  ])
  await tx.query(COUNT_PAYLOADS, [JSON.stringify(items)])
}

/** Prefix of the alert key of an escalation, before the recording's reference. */
export const ESCALATED = 'escalated '

/** Moves open escalation alerts with their recordings, so that the new group's supervisors see them. */
export async function moveEscalations(tx: Tx, payload_ids: readonly number[]): Promise<void> {
  await tx.query(
    `update alerts a set group_id = p.group_id from payloads p
     where p.client_id = $1 and p.payload_id = any($2)
       and a.client_id = $1 and a.alert_target = 'client' and a.alert_scope = 'ops' and a.alert_key = $3 || p.payload_reference
       and a.alert_state = 'Triggered'`,
    [tx.client_id, payload_ids, ESCALATED],
  )
}
