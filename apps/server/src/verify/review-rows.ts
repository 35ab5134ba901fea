import { STATE_CODES as S } from '../payload-records/codes.ts'

/** What is deleted is left out: it is filled in anew when it comes back. So is what was brought again. */
const THERE = `p.client_id = $1 and ($2::bigint is null or p.updated_at >= $2) and p.state not in (${S.Deleted}, ${S.Destroyed}) and not p.is_copy`
const PLACE =
  '(r.service, r.payload_time, r.group_id, r.type) is distinct from (p.service, p.payload_time, p.group_id, p.type)'

const against = (kept: string, result: string, same: string) => `
  with told as (${result}), kept as (select * from ${kept} where client_id = $1)
  select p.payload_reference as subject, case when r.payload_id is null then 'missing of ' when t.payload_id is null then 'unfounded of '
    else 'another of ' end || coalesce(nullif(coalesce(r.person, t.person), ''), 'anybody') as detail
  from kept r full join told t using (payload_id, person) join payloads p on p.payload_id = coalesce(r.payload_id, t.payload_id)
  where ${THERE} and (r.payload_id is null or t.payload_id is null or ${PLACE} or ${same})`

const HEARD = `select payload_id, portal_user as person from payload_audit where client_id = $1 and action in ('payloads:play', 'devices.sms:read')`

/** Who has heard what, against the payloads' own audit. */
export const HEARD_ROWS = against(
  'payload_opened',
  `${HEARD} group by 1, 2 union select payload_id, '' from (${HEARD}) h group by 1`,
  'false',
)

/** The last marks, against all of them. */
export const MARKED_ROWS = against(
  'payload_marked',
  `select payload_id, marked_by as person, max(mark_id) as mark_id from payload_marks where client_id = $1 group by 1, 2
   union all select payload_id, '', max(mark_id) from payload_marks where client_id = $1 group by 1`,
  'r.mark_id <> t.mark_id or r.mark <> (select mark from payload_marks m where m.client_id = $1 and m.mark_id = r.mark_id)',
)

/** Counters of what anybody has heard or marked, against what they count. */
export const REVIEW_COUNTS = `
  with each as (
    select 'h'::"char" as kind, service, type, group_id, payload_time from payload_opened where client_id = $1 and person = ''
    union all
    select 'm'::"char", service, type, group_id, payload_time from payload_marked where client_id = $1 and person = ''
  ), counted as (
    select kind, 'd'::"char" as grain, payload_time - payload_time % 86400 as bucket, service, type, group_id, count(*) as n from each group by 1, 2, 3, 4, 5, 6
    union all
    select kind, 'm'::"char", extract(epoch from date_trunc('month', to_timestamp(payload_time) at time zone 'UTC') at time zone 'UTC')::bigint,
      service, type, group_id, count(*) from each group by 1, 2, 3, 4, 5, 6
  )
  select case kind when 'h' then 'heard' else 'marked' end || ' at ' || bucket || ' in group ' || group_id as subject,
    coalesce(c.count, 0) || ' counted, ' || coalesce(n, 0) || ' there' as detail
  from counted full join (select * from review_counts where client_id = $1 and count <> 0 and $2::bigint is not distinct from $2) c
    using (kind, grain, bucket, service, type, group_id)
  where coalesce(c.count, 0) <> coalesce(n, 0)`
