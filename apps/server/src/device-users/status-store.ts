import type { DeviceQueue } from '@custodia/contract'
import { IS_ACTIVE_DEVICE } from '../device-records/store.ts'
import { STILL_ON_DEVICE } from '../payload-records/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** Status of a user's devices: fewer or more than expected, or recording after offboarding. */
export type Status = 'fewer' | 'more' | 'recording'

/** A user whose status changed; null: no deviation any more. */
export interface ChangedStatus {
  device_user_reference: string
  group_id: number
  status: Status | null
  actual: number
  expected_device_count: number
}

/** Seconds after onboarding in which devices may be missing. */
export const GRACE_SECONDS = 7 * 86_400
/** Users per transaction. */
const MAX = 500

const STATUS = `case
  when u.is_active and coalesce(h.actual, 0) > u.expected_device_count then 'more'
  when u.is_active and u.deleted_at is null and coalesce(h.actual, 0) < u.expected_device_count and u.onboard_date <= $2 - ${GRACE_SECONDS} then 'fewer'
  when not u.is_active and exists (select from (select distinct service from payload_types) t join payloads p using (service)
    where p.client_id = u.client_id and p.device_user_id = u.device_user_id and p.payload_time > u.offboard_date) then 'recording' end`

/** Stores the status of at most MAX users. Returns the changed ones, each once; call again until empty. */
export function noteStatuses(tx: Tx, now: number): Promise<ChangedStatus[]> {
  return tx.rows<ChangedStatus>(
    `with held as (
       select d.device_user_id, count(*)::int as actual from devices d
       where d.client_id = $1 and d.device_user_id is not null and ${IS_ACTIVE_DEVICE} group by d.device_user_id
     ), found as (
       select u.device_user_id, coalesce(h.actual, 0) as actual, ${STATUS} as status
       from device_users u left join held h using (device_user_id) where u.client_id = $1
     ), changed as (
       select f.* from found f join device_users u using (device_user_id)
       where u.client_id = $1 and f.status is distinct from u.reported_status order by device_user_id limit ${MAX}
     )
     update device_users u set reported_status = c.status from changed c
     where u.client_id = $1 and u.device_user_id = c.device_user_id and u.reported_status is distinct from c.status
     returning u.device_user_reference, u.group_id, c.status, c.actual, u.expected_device_count`,
    [tx.client_id, now],
  )
}

/** Maximum number of devices in the answer. */
const LIMIT = 1000

/**
 * SQL: whether device `d` of offboarded user `u` may hold unknown payloads: active at offboarding and not seen since.
 */
const IS_UNSEEN = `(not u.is_active and d.deleted_at is null and d.activated_at is not null
  and (not d.is_deactivated or d.deactivation_date >= u.offboard_date) and coalesce(d.last_seen, d.activated_at) <= u.offboard_date)`

/** Pending payloads on a user's devices, within groups. */
export async function readQueue(
  q: Queryable,
  { device_user_id, reach }: { device_user_id: number; reach: readonly number[] | 'all' },
): Promise<DeviceQueue[]> {
  const { rows } = await q.query<DeviceQueue>(
    `with waiting as (
       select p.device_id, count(*)::int as waiting, min(p.payload_time) as oldest
       from payload_work w join payloads p on p.client_id = w.client_id and p.payload_id = w.payload_id
       where w.client_id = $1 and p.device_user_id = $2 and ${STILL_ON_DEVICE} and ($3::int[] is null or p.group_id = any($3))
       group by p.device_id
     )
     select d.device_reference, d.model, d.last_seen, coalesce(w.waiting, 0) as waiting, w.oldest,
       d.device_user_id = u.device_user_id and ${IS_UNSEEN} as is_unseen
     from device_users u join devices d on d.client_id = u.client_id left join waiting w on w.device_id = d.device_id
     where u.client_id = $1 and u.device_user_id = $2 and (w.device_id is not null or (d.device_user_id = u.device_user_id
       and d.deleted_at is null and d.activated_at is not null and ($3::int[] is null or d.group_id = any($3))))
     order by d.device_reference limit ${LIMIT}`,
    [q.client_id, device_user_id, reach === 'all' ? null : reach],
  )
  return rows.map((row) => ({ ...row, is_unseen: row.is_unseen === true }))
}

/** An offboarded user whose queue became empty or non-empty. */
export interface OffboardedQueue {
  device_user_reference: string
  group_id: number
  reported_queue: boolean
  waiting: number
  unseen: number
}

/**
 * Stores the queue state of at most MAX users who left before a time. Returns the changed ones, each once; call again
 * until empty.
 */
export function noteOffboardedQueues(tx: Tx, left_before: number): Promise<OffboardedQueue[]> {
  return tx.rows<OffboardedQueue>(
    `with waiting as (
       select p.device_user_id, count(*)::int as waiting
       from payload_work w join payloads p on p.client_id = w.client_id and p.payload_id = w.payload_id
       where w.client_id = $1 and p.device_user_id is not null and ${STILL_ON_DEVICE} group by p.device_user_id
     ), unseen as (
       select d.device_user_id, count(*)::int as unseen
       from devices d join device_users u on u.client_id = d.client_id and u.device_user_id = d.device_user_id
       where d.client_id = $1 and ${IS_UNSEEN} group by d.device_user_id
     ), found as (
       select u.device_user_id, coalesce(w.waiting, 0) as waiting, coalesce(s.unseen, 0) as unseen,
         coalesce(not u.is_active and u.offboard_date <= $2 and coalesce(w.waiting, s.unseen, 0) > 0, false) as is_queued
       from device_users u left join waiting w using (device_user_id) left join unseen s using (device_user_id) where u.client_id = $1
     )
     update device_users u set reported_queue = f.is_queued from found f
     where u.client_id = $1 and u.device_user_id = f.device_user_id and u.reported_queue is distinct from f.is_queued
       and f.device_user_id in (select device_user_id from found join device_users k using (device_user_id)
         where k.client_id = $1 and k.reported_queue is distinct from is_queued order by device_user_id limit ${MAX})
     returning u.device_user_reference, u.group_id, u.reported_queue, f.waiting, f.unseen`,
    [tx.client_id, left_before],
  )
}

/** Unlicensed services of active devices, by user. */
export async function findDevicesOfUsers(
  q: Queryable,
  device_user_ids: readonly number[],
): Promise<Map<number, string[][]>> {
  const { rows } = await q.query<{ device_user_id: number; unlicensed_services: string[] }>(
    `select device_user_id, unlicensed_services from devices d
     where client_id = $1 and device_user_id = any($2) and ${IS_ACTIVE_DEVICE}`,
    [q.client_id, device_user_ids],
  )
  const devices = new Map<number, string[][]>()
  for (const { device_user_id, unlicensed_services } of rows)
    devices.set(device_user_id, [...(devices.get(device_user_id) ?? []), unlicensed_services])
  return devices
}
