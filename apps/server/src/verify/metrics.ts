import { STATE_CODES as S } from '../payload-records/codes.ts'

/** Metrics of phones that are not what is there, and what is: `subject`, `detail`, for $1 client_id and $2 since (all are looked at). */
export const METRICS = `
  with there as (
    select s.scope, s.period, device_id, coalesce(device_user_id, 0) as device_user_id, group_id, type, count(*) as n,
      min(payload_time) as earliest, max(payload_time) as latest
    from payloads cross join lateral metric_periods(payload_time) s
    where client_id = $1 and $2::bigint is not distinct from $2 and state not in (${S.Deleted}, ${S.Destroyed}) and not is_copy group by 1, 2, 3, 4, 5, 6
  ), kept as (select * from payload_metrics where client_id = $1)
  select 'type ' || type || ' of device ' || device_id || ' in group ' || group_id || ' at ' || scope::text || ' ' || period as subject,
    coalesce(k.count, 0) || ' counted from ' || coalesce(first_occurrence, 0) || ' to ' || coalesce(last_occurrence, 0) || ', '
      || coalesce(n, 0) || ' there from ' || coalesce(earliest, 0) || ' to ' || coalesce(latest, 0) as detail
  from there t full join kept k using (scope, period, device_id, device_user_id, group_id, type)
  where (k.count, first_occurrence, last_occurrence) is distinct from (n, earliest, latest)`
