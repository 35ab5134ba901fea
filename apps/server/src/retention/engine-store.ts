import { restoredReason, type RetentionExecution, type Service } from '@custodia/contract'
import type { Delivery, RetentionItem } from '@custodia/domain'
import { type AlertIdentity, raiseAlert } from '../alerts/raise.ts'
import { CLOCK } from '../held-records/store.ts'
import { SERVICE_CODES, STATE_CODES, stateIfAny, stateOfCode, typeOfCode } from '../payload-records/codes.ts'
import { APP_RECEIPTS, AWAITS_SIGN_OFF } from '../payload-records/store.ts'
import { WRITTEN_OFF } from '../payloads/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { DELIVERIES } from '../transfers/store.ts'

/** The acts of retention; each runs in its own pass. */
export type Act = 'delete' | 'destroy'

export interface RetentionPass {
  service: Service
  act: Act
}

/** Progress of a pass through the payloads of a service. */
export interface Position {
  /** Of the last payload checked; null: none yet. */
  payload_time: number | null
  payload_id: number | null
  /** Start and end of the pass; epoch seconds, database time. */
  began_at: number
  ended_at: number | null
}

/** Facts that decide about a payload, other than policy and holds. */
export interface DuePayload {
  payload_id: number
  payload: Omit<RetentionItem, 'transferred_at'>
  receipts: string[]
  deliveries: Delivery[]
}

/** Database time in epoch seconds; only this clock makes a payload due. */
export async function readClock(q: Queryable): Promise<number> {
  return (await q.value<number>(`select ${CLOCK} as now`, [])) ?? Number.NaN
}

/** Whether the account paused retention, or its sealed log contradicts a checkpoint. */
export async function isPaused(q: Queryable): Promise<boolean> {
  const { rows } = await q.query(
    `select from retention_pauses where client_id = $1 and is_paused
     union all select from sealed_contradictions where client_id = $1 and resolved_at is null`,
    [q.client_id],
  )
  return rows.length > 0
}

/** Takes a share lock on the policies: no save or pause until the transaction ends. */
export async function sharePolicies(tx: Tx): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(hashtextextended('retention:' || $1::text, 0))`, [
    tx.client_id,
  ])
}

/**
 * Locks the position of a pass; undefined when another worker has it or deletion must run first.
 * @param anew seconds after which a pass restarts from the oldest
 */
export async function takePosition(
  tx: Tx,
  { service, act }: RetentionPass,
  { now, anew }: { now: number; anew: number },
): Promise<Position | undefined> {
  const place = [tx.client_id, SERVICE_CODES[service], act]
  await tx.query(
    'insert into retention_positions (client_id, service, act, began_at) values ($1, $2, $3, $4) on conflict do nothing',
    [...place, now],
  )
  const position = await tx.row<Position>(
    `select payload_time, payload_id, began_at, ended_at from retention_positions
     where client_id = $1 and service = $2 and act = $3 and (act = 'delete' or not exists (
       select from retention_positions d where d.client_id = $1 and d.service = $2 and d.act = 'delete' and d.ended_at is null))
     for update skip locked`,
    place,
  )
  if (!position) return undefined
  // If the clock went back, the pass restarts; a second check is harmless.
  const isOver = position.ended_at !== null && !(now >= position.began_at && now < position.began_at + anew)
  return isOver ? { payload_time: null, payload_id: null, began_at: now, ended_at: null } : position
}

/** Stores the progress. */
export async function notePosition(
  tx: Tx,
  { service, act }: RetentionPass,
  position: Position,
): Promise<void> {
  const { payload_time, payload_id, began_at, ended_at } = position
  await tx.query(
    `update retention_positions set payload_time = $4, payload_id = $5, began_at = $6, ended_at = $7
     where client_id = $1 and service = $2 and act = $3`,
    [tx.client_id, SERVICE_CODES[service], act, payload_time, payload_id, began_at, ended_at],
  )
}

/** States in which an act applies. */
const IS_THERE: Record<Act, string> = {
  delete: `state not in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed})`,
  destroy: `state = ${STATE_CODES.Deleted}`,
}

/** A payload that may be due. */
interface Candidate {
  payload_id: number
  payload_time: number
  group_id: number
  device_id: number
  /** Whether the act applies to its state. */
  is_there: boolean
}

/** Payloads of a service after a position, oldest first, up to `until`. */
export function findOldest(
  q: Queryable,
  { service, act }: RetentionPass,
  { after, until, limit }: { after: Position; until: number; limit: number },
): Promise<Candidate[]> {
  return q.rows<Candidate>(
    `select payload_id, payload_time, group_id, device_id, ${IS_THERE[act]} as is_there from payloads
     where client_id = $1 and service = $2 and (payload_time, payload_id) > ($3, $4) and payload_time <= $5
     order by payload_time, payload_id limit $6`,
    [
      q.client_id,
      SERVICE_CODES[service],
      after.payload_time ?? Number.MIN_SAFE_INTEGER,
      after.payload_id ?? 0,
      until,
      limit,
    ],
  )
}

type Row = Omit<
  RetentionItem,
  'payload_type' | 'payload_state' | 'state_before_deletion' | 'is_alerted' | 'transferred_at'
> & {
  payload_id: number
  type: number
  state: number
  before: number | null
  receipts: string[]
  deliveries: Delivery[]
}

/** Facts for `decide`. Receipts of people do not count; the rule decides when a payload counts as transferred. */
export async function findDue(q: Queryable, payload_ids: readonly number[]): Promise<DuePayload[]> {
  const { rows } = await q.query<Row>(FIND_DUE, [q.client_id, payload_ids])
  return rows.map(({ payload_id, type, state, before, receipts, deliveries, ...known }) => ({
    payload_id,
    receipts,
    deliveries,
    payload: {
      ...known,
      payload_type: typeOfCode(type),
      payload_state: stateOfCode(state),
      state_before_deletion: stateIfAny(before) ?? null,
      // A payload is marked late only with an alert.
      is_alerted: known.is_late,
    },
  }))
}

const FIND_DUE = `
  select p.payload_id, p.type, p.state, p.state_before_deletion as before, p.payload_time, p.announced_at, p.processed_at, p.restored_at, p.is_late,
    ${DELIVERIES} as deliveries,
    exists (select from payload_write_offs a where ${WRITTEN_OFF}) as is_written_off, ${AWAITS_SIGN_OFF} as awaits_sign_off, coalesce(r.receipts, '{}') as receipts, r.receipt_confirmed_at,
    case when p.state = ${STATE_CODES.Deleted} then (select max(y.at) from payload_history y
      where y.client_id = p.client_id and y.payload_id = p.payload_id and y.to_state = ${STATE_CODES.Deleted}) end as deleted_at
  from payloads p
  cross join lateral (select array_agg(client_app_user) as receipts, max(confirmed_at) as receipt_confirmed_at
    from ${APP_RECEIPTS}) r
  where p.client_id = $1 and p.payload_id = any($2)`

/** Counts deleted and destroyed payloads by database day and type. */
export async function addDayCounts(
  tx: Tx,
  act: Act,
  now: number,
  taken: readonly { type: number }[],
): Promise<void> {
  const column = act === 'delete' ? 'deleted' : 'destroyed'
  await tx.query(
    `insert into retention_results (client_id, day, type, ${column})
     select $1, $2 - $2 % 86400, type, count(*) from unnest($3::smallint[]) type group by type order by type
     on conflict (client_id, day, type) do update set ${column} = retention_results.${column} + excluded.${column}`,
    [tx.client_id, now, taken.map(({ type }) => type)],
  )
}

type Pause = Pick<RetentionExecution, 'is_paused' | 'reason' | 'updated_at' | 'updated_by'>

/** Whether retention is paused, and who changed it last. */
export async function findPause(q: Queryable): Promise<Pause> {
  const { rows } = await q.query<Pause>(
    'select is_paused, reason, at as updated_at, by as updated_by from retention_pauses where client_id = $1',
    [q.client_id],
  )
  return rows[0] ?? { is_paused: false, reason: null, updated_at: null, updated_by: null }
}

/** Pauses or resumes retention; the policies must be locked. */
export async function savePause(
  tx: Tx,
  { is_paused, reason, by }: { is_paused: boolean; reason: string; by: string },
): Promise<void> {
  await tx.query(
    `insert into retention_pauses (client_id, is_paused, reason, at, by) values ($1, $2, $3, ${CLOCK}, $4)
     on conflict (client_id) do update set is_paused = excluded.is_paused, reason = excluded.reason, at = excluded.at, by = excluded.by`,
    [tx.client_id, is_paused, reason, by],
  )
}

/** The alert that retention is paused after a restore. */
export const restoredAlert = (now: number): AlertIdentity => ({
  alert_scopes: ['ops'],
  alert_targets: ['client', 'admin'],
  alert_key: 'retention_restored',
  now,
})

/**
 * Pauses retention after a restore, because legal holds that are newer than the backup are lost. Resolves to the
 * pause; its reason repeats that of an earlier one.
 * @param time of the backup
 */
export async function pauseAfterRestore(
  tx: Tx,
  { time, by }: { time: Date; by: string },
): Promise<{ is_paused: boolean; reason: string }> {
  const former = await findPause(tx)
  const backup = time.toISOString()
  const pause = { is_paused: true, reason: restoredReason(time, former.is_paused ? former.reason : null) }
  await savePause(tx, { ...pause, by })
  await raiseAlert(tx, {
    ...restoredAlert(await readClock(tx)),
    text: 'retention_restored',
    values: { backup },
    alert_type: 'AccountAlert',
    alert_severity: 'High',
    related_entities: [{ entity_id: 'policy', entity_type: 'Retention' }],
  })
  return pause
}

/** Time at which every service had been checked; null when one never was. */
export async function lastLook(q: Queryable): Promise<number | null> {
  return (
    (await q.value<number | null>(
      `select case when bool_and(ended_at is not null) then min(ended_at) end as looked_at from retention_positions where client_id = $1`,
      [q.client_id],
    )) ?? null
  )
}

/** Counts of the last days, including today. */
export async function findDayCounts(
  q: Queryable,
  days: number,
): Promise<Pick<RetentionExecution, 'deleted' | 'destroyed'>> {
  const { rows } = await q.query<{ type: number; deleted: number; destroyed: number }>(
    `select type, sum(deleted)::int as deleted, sum(destroyed)::int as destroyed from retention_results
     where client_id = $1 and day > ${CLOCK} - $2::bigint * 86400 group by type order by type`,
    [q.client_id, days],
  )
  const counts = (act: 'deleted' | 'destroyed') =>
    rows.flatMap(({ type, [act]: count }) => (count > 0 ? [{ payload_type: typeOfCode(type), count }] : []))
  return { deleted: counts('deleted'), destroyed: counts('destroyed') }
}

/** Whether a pass that started before a time has not ended while retention is not paused. */
export async function isBehind(q: Queryable, before: number): Promise<boolean> {
  const { rows } = await q.query(
    `select from retention_positions where client_id = $1 and ended_at is null and began_at < $2
       and not exists (select from retention_pauses where client_id = $1 and (is_paused or at > $2)) limit 1`,
    [q.client_id, before],
  )
  return rows.length > 0
}
