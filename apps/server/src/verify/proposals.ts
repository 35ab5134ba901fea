import { OPERATOR } from '../http/context.ts'
import { ACTIVITIES_GONE } from './retention.ts'

/**
 * What one person did where two were asked for, and what names a second person without a proposal that they confirmed: `subject`, `detail`,
 * for $1 client_id and $2 since (all are looked at).
 */
export const PROPOSALS = `
  with confirmed as (
    select kind, proposed_by, decided_by from proposals where client_id = $1 and state = 'confirmed'
  )
  select e.target_type || ' ' || e.target as subject, 'released by one person, when two had to' as detail
  from legal_hold_events e cross join lateral (
    select is_required from dual_control_versions v where v.client_id = e.client_id and v.at < e.at order by version desc limit 1) v
  where e.client_id = $1 and e.act = 'released' and e.confirmed_by is null and v.is_required and $2::bigint is not distinct from $2
    and not exists (select from dual_control_versions w where w.client_id = e.client_id and w.at = e.at)
  union all
  select e.target_type || ' ' || e.target, 'released by two people, of whom the second confirmed nothing' from legal_hold_events e
  where e.client_id = $1 and e.confirmed_by is not null and not exists (select from confirmed c
    where c.kind in ('ReleaseHold', 'ReleaseMatterPerson', 'CloseMatter') and (c.proposed_by, c.decided_by) = (e.by, e.confirmed_by))
  union all
  select 'retention policy ' || p.policy_version, 'shortened by two people, of whom the second confirmed nothing' from retention_policies p
  where p.client_id = $1 and p.confirmed_by is not null and not exists (select from confirmed c
    where c.kind = 'ShortenRetention' and (c.proposed_by, c.decided_by) = (p.by, p.confirmed_by))
  union all
  select 'two-person rule ' || v.version, 'switched by two people, of whom the second confirmed nothing' from dual_control_versions v
  where v.client_id = $1 and not exists (select from confirmed c
    where c.kind = 'RequireTwoPeople' and (c.proposed_by, c.decided_by) = (v.by, v.confirmed_by))
    -- The operator may switch it off alone, and the log says so, until the policy lets that entry go.
    and not (v.by = '${OPERATOR}' and not v.is_required and (v.at <= (${ACTIVITIES_GONE}) or exists (select from portal_activities a
      where a.client_id = v.client_id and a.user_reference = v.by and a.action = 'operator:lift_two_people' and abs(a.activity_time - v.at) <= 60)))`
