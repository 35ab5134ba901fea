import { IS_ACTIVE_DEVICE } from '../device-records/store.ts'
import type { Tx } from '../ports/database/lease.ts'

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
const MOST = 500

const STATUS = `case
  when u.is_active and coalesce(h.actual, 0) > u.expected_device_count then 'more'
  when u.is_active and u.deleted_at is null and coalesce(h.actual, 0) < u.expected_device_count and u.onboard_date <= $2 - ${GRACE_SECONDS} then 'fewer'
  when not u.is_active and exists (select from (select distinct service from payload_types) t join payloads p using (service)
    where p.client_id = u.client_id and p.device_user_id = u.device_user_id and p.payload_time > u.offboard_date) then 'recording' end`

/** Stores the status of at most MOST users. Returns the changed ones, each once; call again until empty. */
export async function noteStatuses(tx: Tx, now: number): Promise<ChangedStatus[]> {
  const { rows } = await tx.query<ChangedStatus>(
    `with held as (
       select d.device_user_id, count(*)::int as actual from devices d
       where d.client_id = $1 and d.device_user_id is not null and ${IS_ACTIVE_DEVICE} group by d.device_user_id
     ), found as (
       select u.device_user_id, coalesce(h.actual, 0) as actual, ${STATUS} as status
       from device_users u left join held h using (device_user_id) where u.client_id = $1
     ), changed as (
       select f.* from found f join device_users u using (device_user_id)
       where u.client_id = $1 and f.status is distinct from u.reported_status order by device_user_id limit ${MOST}
     )
     update device_users u set reported_status = c.status from changed c
     where u.client_id = $1 and u.device_user_id = c.device_user_id and u.reported_status is distinct from c.status
     returning u.device_user_reference, u.group_id, c.status, c.actual, u.expected_device_count`,
    [tx.client_id, now],
    'device_users_standings',
  )
  return rows
}
