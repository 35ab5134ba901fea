import type { Check } from './checks.ts'

/** Statements about positions of phones, as those of `rows.ts`. */
export const POSITION_CHECKS: readonly { check: Check; sql: string }[] = [
  {
    check: 'report_wrong',
    sql: `select 'position ' || p.gps_reference as subject, case
        when p.device_id not in (select device_id from devices where client_id = $1) then 'no such device'
        when p.group_id not in (select group_id from groups where client_id = $1) then 'no such group'
        when p.device_user_id not in (select device_user_id from device_users where client_id = $1) then 'no such person'
        when k.key_id is null then 'no such key' else 'a key of another phone or day' end as detail
      from gps_points p left join gps_keys k on k.client_id = p.client_id and k.key_id = p.key_id
      where p.client_id = $1 and ($2::bigint is null or p.received_at >= $2)
        and (p.device_id not in (select device_id from devices where client_id = $1)
          or p.group_id not in (select group_id from groups where client_id = $1)
          or p.device_user_id not in (select device_user_id from device_users where client_id = $1)
          or (k.device_id, k.day) is distinct from (p.device_id, (p.timestamp / 86400)::int))`,
  },
  {
    check: 'report_wrong',
    sql: `select 'last position of device ' || l.device_id as subject, 'points at none of its positions' as detail
      from gps_latest l where l.client_id = $1 and $2::bigint is null and not exists (
        select from gps_points p where p.client_id = l.client_id and p.timestamp = l.timestamp and p.row_id = l.row_id
          and (p.device_id, p.group_id) = (l.device_id, l.group_id) and p.device_user_id is not distinct from l.device_user_id)`,
  },
]
