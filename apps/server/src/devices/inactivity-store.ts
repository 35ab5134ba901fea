import type { Phone } from '../http/context.ts'
import type { Tx } from '../ports/database/lease.ts'
import { IS_ACTIVE_DEVICE } from '../device-records/store.ts'

/** A deactivated device for the audit log. */
export type DeactivatedDevice = Pick<
  Phone,
  'device_id' | 'device_reference' | 'device_user_reference' | 'group_reference' | 'group_id'
> & {
  /** Database time; epoch seconds. */
  deactivation_date: number
}

/**
 * Deactivates at most `most` devices unseen for so many seconds, by id after `after`. Uses database time only: no
 * process clock can deactivate devices.
 */
export async function deactivateSilent(
  tx: Tx,
  { silent_for, after, most }: { silent_for: number; after: number; most: number },
): Promise<DeactivatedDevice[]> {
  const { rows } = await tx.query<DeactivatedDevice>(
    `with clock as (select floor(extract(epoch from now()))::bigint as now), silent as (
       select d.device_id from devices d, clock
       where d.client_id = $1 and d.device_id > $3 and ${IS_ACTIVE_DEVICE} and not d.is_legacy and d.deleted_at is null
         and coalesce(d.last_seen, d.activated_at) < clock.now - $2
       order by d.device_id limit $4
     ), done as (
       update devices d set is_deactivated = true, deactivation_date = clock.now, updated_at = clock.now, updated_by = 'inactivity'
       from silent s, clock
       where d.client_id = $1 and d.device_id = s.device_id and ${IS_ACTIVE_DEVICE}
         and coalesce(d.last_seen, d.activated_at) < clock.now - $2
       returning d.device_id, d.device_reference, d.device_user_id, d.group_id, d.deactivation_date
     ), ended as (
       delete from device_tokens t using done where t.client_id = $1 and t.device_id = done.device_id
     )
     select done.device_id, device_reference, device_user_reference, group_reference, done.group_id, deactivation_date
     from done join groups g on g.client_id = $1 and g.group_id = done.group_id
     left join device_users u on u.client_id = $1 and u.device_user_id = done.device_user_id order by done.device_id`,
    [tx.client_id, silent_for, after, most],
    'devices_deactivate_silent',
  )
  return rows
}
