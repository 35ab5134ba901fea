import { type FailureCode, LATE_AFTER_SECONDS } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { DeviceCaller } from '../../http/context.ts'
import { STATE_CODES, stateIfAny, stateOfCode } from '../../payload-records/codes.ts'
import { RESENDABLE } from '../../payload-records/store.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'

/** A payload whose data is expected. */
export interface ExpectedPayload {
  client_id: number
  client: string
  payload_id: number
  payload_reference: string
  rejected_count: number
  size: number
}

/**
 * SQL: the state of payload `p`; of a deleted one the state before, because its data is accepted at any time.
 */
const UNDELETED = `(case p.state when ${STATE_CODES.Deleted} then p.state_before_deletion else p.state end)`

const AWAITED = `
  select p.client_id, c.client, p.payload_id, p.payload_reference, p.rejected_count, e.size
  from payloads p join clients c using (client_id) join payload_envelopes e using (payload_id)
  where p.client_id = $1 and e.size is not null and (
    ${UNDELETED} = ${STATE_CODES.Recorded} or (${UNDELETED} = ${STATE_CODES.Failed} and p.failure = any($3)))`

/** The expected ones among these references. */
export async function findAwaited(
  ctx: AppContext,
  client_id: number,
  references: readonly string[],
): Promise<ExpectedPayload[]> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<ExpectedPayload>(`${AWAITED} and p.payload_reference = any($2)`, [
      client_id,
      references,
      [...RESENDABLE],
    ]),
  )
  return rows
}

/** SQL: the end of the recording of payload `p`. As `recordedEnd` of the domain. */
const RECORDED_END = `least(case when p.payload_end_time - p.payload_time <= ${LATE_AFTER_SECONDS} then p.payload_end_time
  else p.payload_time end, p.announced_at)`

/**
 * Adds these payloads to the sweep. Resolves to the end of the recording as far as the device knew it; epoch
 * seconds.
 */
export function beginWork(
  tx: Tx,
  payload_ids: readonly number[],
  now: number,
): Promise<{ payload_id: number; recorded_end: number }[]> {
  return tx.rows<{ payload_id: number; recorded_end: number }>(WORK, [tx.client_id, payload_ids, now])
}

const WORK = `
  with work as (
    insert into payload_work (client_id, payload_id, since) select $1, payload_id, $3 from unnest($2::bigint[]) as payload_id
    on conflict (client_id, payload_id) do update set since = excluded.since, nudges = 0
  )
  select p.payload_id, ${RECORDED_END} as recorded_end from payloads p where p.payload_id = any($2)`

/** Marks payloads as late. */
export async function setLate(tx: Tx, payload_ids: readonly number[]): Promise<void> {
  await tx.query('update payloads set is_late = true where payload_id = any($1)', [payload_ids])
}

/** The states of those payloads that this device announced. */
export async function readStates(q: Queryable, device_id: number, references: readonly string[]) {
  const { rows } = await q.query<{
    payload_reference: string
    state: number
    state_before_deletion: number | null
    failure: FailureCode | null
  }>(
    `select payload_reference, state, state_before_deletion, failure from payloads
     where client_id = $1 and device_id = $2 and payload_reference = any($3)`,
    [q.client_id, device_id, references],
  )
  return rows.map(({ state, state_before_deletion, ...row }) => ({
    ...row,
    state: stateOfCode(state),
    state_before_deletion: stateIfAny(state_before_deletion),
  }))
}

/** Stores why the data of an expected payload was refused. Undefined when it is no longer expected. */
export function noteFailure(
  tx: Tx,
  payload_reference: string,
  failure: FailureCode,
  now: number,
): Promise<{ payload_id: number; group_id: number; device_reference: string } | undefined> {
  return tx.row<{ payload_id: number; group_id: number; device_reference: string }>(
    `update payloads p set failure = $3, updated_at = $4 from devices d
     where p.client_id = $1 and p.payload_reference = $2 and p.state = ${STATE_CODES.Recorded}
       and d.client_id = p.client_id and d.device_id = p.device_id
     returning p.payload_id, p.group_id, d.device_reference`,
    [tx.client_id, payload_reference, failure, now],
  )
}

/** The device that announced each of these payloads, for activities. */
export async function findDevicesOf(
  tx: Tx,
  payload_ids: readonly number[],
): Promise<Map<number, Omit<DeviceCaller, 'kind' | 'client_id' | 'client'>>> {
  const { rows } = await tx.query<
    Omit<DeviceCaller, 'kind' | 'client_id' | 'client'> & { payload_id: number }
  >(
    `select p.payload_id, d.device_id, d.device_reference, u.device_user_reference, g.group_reference, g.group_id
     from payloads p join devices d using (client_id, device_id) join groups g on g.client_id = d.client_id and g.group_id = d.group_id
     left join device_users u on u.client_id = d.client_id and u.device_user_id = d.device_user_id
     where p.client_id = $1 and p.payload_id = any($2)`,
    [tx.client_id, payload_ids],
  )
  return new Map(rows.map(({ payload_id, ...device }) => [payload_id, device]))
}

/** References of expected payloads, the least recently checked first; marks them as checked. */
export function takeUnchecked(tx: Tx, limit: number, now: number): Promise<string[]> {
  return tx.column<string>(
    `update payload_work w set checked_at = $2 from payloads p
     where p.payload_id = w.payload_id and w.payload_id in (
       select w2.payload_id from payload_work w2 join payloads p2 using (payload_id)
       where w2.client_id = $1 and p2.state in (${STATE_CODES.Recorded}, ${STATE_CODES.Failed}) order by w2.checked_at limit $3)
     returning p.payload_reference`,
    [tx.client_id, now, limit],
  )
}

/** Payloads without a processing task that have waited since before a time; restarts their wait. */
export function takeStuck(
  tx: Tx,
  kind: string,
  { now, before }: { now: number; before: number },
): Promise<{ payload_id: number; size: number }[]> {
  return tx.rows<{ payload_id: number; size: number }>(
    `update payload_work w set since = $2, nudges = least(w.nudges + 1, 32000) from payloads p, payload_envelopes e
     where p.payload_id = w.payload_id and e.payload_id = w.payload_id and w.client_id = $1 and w.since < $3
       and p.state in (${STATE_CODES.Uploaded}, ${STATE_CODES.Scanning})
       and not exists (select from client_tasks t where t.client_id = $1 and t.kind = $4 and t.key = w.payload_id::text)
     returning w.payload_id, coalesce(e.size, 0) as size`,
    [tx.client_id, now, before, kind],
  )
}

/**
 * Marks payloads as late that were recorded before a time and have not arrived, or failed and were not sent
 * again.
 */
export function markLateUploads(
  tx: Tx,
  { now, before }: { now: number; before: number },
): Promise<{ payload_id: number; device_reference: string; group_id: number }[]> {
  return tx.rows<{ payload_id: number; device_reference: string; group_id: number }>(
    `update payloads p set is_late = true, updated_at = $2 from payload_work w, devices d
     where w.payload_id = p.payload_id and w.client_id = $1 and d.device_id = p.device_id and p.state in (${STATE_CODES.Recorded}, ${STATE_CODES.Failed})
       and not p.is_late and not p.is_legacy and ${RECORDED_END} < $3
     returning p.payload_id, d.device_reference, d.group_id`,
    [tx.client_id, now, before],
  )
}

/** The keys that no object of the tenant has. */
export function findOrphans(q: Queryable, keys: readonly string[]): Promise<string[]> {
  return q.column<string>(
    `select key from unnest($2::text[]) as key
     where not exists (select from payloads p join payload_objects o using (client_id, payload_id)
       where p.client_id = $1 and p.payload_reference = split_part(key, '/', 2) and o.object_key = key)`,
    [q.client_id, keys],
  )
}
