import { factsSql } from '../devices/reports/store.ts'
import type { RowCheck } from './checks.ts'
import { POSITION_CHECKS } from './retention.ts'

/** Rows of devices, device users and what devices report. */
export const FLEET_CHECKS: readonly RowCheck[] = [
  {
    check: 'report_wrong',
    sql: `select 'command ' || command_reference as subject, 'ended before it was sent' as detail
      from device_commands where client_id = $1 and $2::bigint is not distinct from $2 and completed_at < sent_at`,
  },
  {
    check: 'report_wrong',
    sql: `select 'log ' || l.log_id as subject, case when l.device_id not in (select device_id from devices where client_id = $1) then 'no such device'
        when l.group_id not in (select group_id from groups where client_id = $1) then 'no such group' else 'no such person' end as detail
      from device_logs l where l.client_id = $1 and ($2::bigint is null or l.received_at >= $2)
        and (l.device_id not in (select device_id from devices where client_id = $1)
          or l.group_id not in (select group_id from groups where client_id = $1)
          or l.device_user_id not in (select device_user_id from device_users where client_id = $1))`,
  },
  ...POSITION_CHECKS,
  {
    check: 'report_wrong',
    sql: `select 'telemetry ' || t.telemetry_id as subject, case when t.device_id not in (select device_id from devices where client_id = $1) then 'no such device'
        when t.group_id not in (select group_id from groups where client_id = $1) then 'no such group'
        when k.report_key_id is null then 'no key of this device' when f.facts_id is null then 'no such facts' else 'no such person' end as detail
      from telemetry t left join telemetry_facts f using (client_id, facts_id)
      left join report_keys k on k.client_id = t.client_id and k.report_key_id = t.report_key_id and k.device_id = t.device_id where t.client_id = $1 and ($2::bigint is null or t.received_at >= $2)
        and (t.device_id not in (select device_id from devices where client_id = $1)
          or t.group_id not in (select group_id from groups where client_id = $1) or k.report_key_id is null or f.facts_id is null
          or t.device_user_id not in (select device_user_id from device_users where client_id = $1))`,
  },
  {
    check: 'report_wrong',
    sql: `select 'newest telemetry ' || l.telemetry_id as subject,
        case when t.row_id is null then 'no such report' when n.row_id is not null then 'there is a newer one' else 'says otherwise' end as detail
      from telemetry_latest l left join telemetry t on t.client_id = l.client_id and t.device_id = l.device_id
        and t.telemetry_id = l.telemetry_id and t.telemetry_time = l.telemetry_time and t.row_id = l.row_id
      left join lateral (
        select n.row_id from telemetry n where n.client_id = l.client_id and n.device_id = l.device_id
          and n.telemetry_time > l.at and n.received_at > l.at limit 1) n on true
      where l.client_id = $1 and ($2::bigint is null or l.received_at >= $2) and (t.row_id is null or n.row_id is not null
        or (t.group_id, ${factsSql('t')}, t.received_at) <> (l.group_id, l.facts, l.received_at)
        or t.device_user_id is distinct from l.device_user_id)`,
  },
  {
    check: 'holder_wrong',
    sql: `select d.device_reference as subject, case when h.device_id is null then 'no open time' else 'another one' end as detail
      from devices d left join device_history h on h.client_id = d.client_id and h.device_id = d.device_id and h.to_at is null
      where d.client_id = $1 and ($2::bigint is null or d.updated_at >= $2) and d.activated_at is not null
        and (h.device_id is null or (h.device_user_id, h.group_id) is distinct from (d.device_user_id, d.group_id))`,
  },
  {
    check: 'number_doubled',
    sql: `select d.device_reference as subject, 'from ' || from_at || ' on' as detail from (
        select from_at, device_id, max(coalesce(to_at, 9223372036854775807)) over earlier as taken_until
        from device_numbers where client_id = $1 and $2::bigint is not distinct from $2 and not is_contested
        window earlier as (partition by phone_number order by from_at, claim_id rows between unbounded preceding and 1 preceding)
      ) n join devices d using (device_id) where d.client_id = $1 and taken_until > from_at`,
  },
  {
    check: 'capture_wrong',
    sql: `select 'gap ' || gap_id as subject, 'overlaps another one' as detail
      from (select gap_id, from_at, max(coalesce(to_at, 9223372036854775807)) over earlier as taken_until
        from capture_gaps where client_id = $1 and $2::bigint is not distinct from $2
        window earlier as (partition by device_user_id, service order by from_at, gap_id rows between unbounded preceding and 1 preceding)) g
      where taken_until > from_at`,
  },
  {
    check: 'enrolment_wrong',
    sql: `select e.enrolment_reference as subject, case when e.uses <> n.count then e.uses || ' counted, ' || n.count || ' came'
        else 'used after it was over' end as detail
      from enrolments e, lateral (select count(*) as count, max(used_at) as last from enrolment_uses u
        where u.client_id = e.client_id and u.enrolment_id = e.enrolment_id) n
      where e.client_id = $1 and $2::bigint is not distinct from $2
        and (e.uses <> n.count or n.last > e.expires_at or n.last > e.revoked_at)`,
  },
  {
    check: 'licenses_wrong',
    sql: `
      select device_reference as subject, array_to_string(granted_services, ', ') as detail from devices
      where client_id = $1 and $2::bigint is not distinct from $2 and granted_services <> services_granted(device_user_id, services, unlicensed_services)`,
  },
  {
    check: 'fleet_wrong',
    sql: `
      with counted as (
        select kind, group_id, key, sum(n) as n from (
          select group_id, k.*, 1 as n from devices d, fleet_keys_of_device(
            d.is_legacy, d.is_deactivated, d.activated_at, d.deleted_at, d.app_version, d.os_version, d.silence, d.granted_services) k where client_id = $1
          union all
          select group_id, k.* from device_users u, fleet_keys_of_user(
            u.is_legacy, u.is_active, u.deleted_at, u.services, u.expected_device_count) k where client_id = $1
        ) x where $2::bigint is not distinct from $2 group by 1, 2, 3
      ), places as (
        select kind, group_id, key, n, coalesce(c.count, 0) as kept from counted n
        full join (select * from fleet_counts where client_id = $1) c using (kind, group_id, key)
      )
      select case when kind in ('u', 'v', 'e') then 'device users' else 'devices' end || ' as ' || key || ' in group ' || group_id as subject,
        kept || ' counted, ' || coalesce(n, 0) || ' there' as detail
      from places where kept <> coalesce(n, 0)`,
  },
]
