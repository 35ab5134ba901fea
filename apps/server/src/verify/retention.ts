import { HOLD_GRACE_SECONDS } from '@custodia/domain'
import { REPLAY } from '../destruction/store.ts'
import { OPERATOR, RETENTION } from '../http/context.ts'
import { STATE_CODES as S, TYPE_CODES } from '../payload-records/codes.ts'
import { SELF_EXPIRING_KINDS, RETAINED_KINDS, getStage } from '../retention/store.ts'
import type { Check } from './checks.ts'

/**
 * Legal holds that differ from their events, and events out of order: `subject`, `detail`, for $1 client_id and $2
 * since (all are examined).
 */
export const HOLDS = `
  with e as (
    select *, lag(act) over w as before, lag(at) over w as at_before, lead(act) over w is null as is_last
    from legal_hold_events where client_id = $1 and $2::bigint is not distinct from $2
    window w as (partition by target_type, target order by event_id)
  ), h as (select * from legal_holds where client_id = $1)
  select target_type || ' ' || target as subject, case
      when e.client_id is null then 'a hold without events'
      when h.is_active <> (e.act = 'set') then case when h.is_active then 'held' else 'not held' end || ', and its last event says otherwise'
      else 'changed at another time or by another person than its last event' end as detail
  from h left join (select * from e where is_last) e using (target_type, target)
  where e.client_id is null or h.is_active <> (e.act = 'set') or (h.updated_at, h.updated_by) <> (e.at, e.by)
  union all
  select target_type || ' ' || target, 'event ' || event_id || ' does not follow the one before' from e
  where act = coalesce(before, 'released') or at < at_before`

/** Matters and holds that contradict each other: `subject`, `detail`, for $1 client_id and $2 since (all are looked at). */
export const MATTERS = `
  select p.matter_id || ' ' || p.target_type || ' ' || p.target as subject, case
      when m.closed_at is not null then 'belongs to a closed matter'
      else 'belongs to an open matter, and is not held' end as detail
  from legal_matter_people p join legal_matters m using (client_id, matter_id) join legal_holds h using (client_id, target_type, target)
  where p.client_id = $1 and p.removed_at is null and (m.closed_at is not null or not h.is_active) and $2::bigint is not distinct from $2
  union all
  select target_type || ' ' || target, 'held by no matter, and not by themselves' from legal_holds h
  where client_id = $1 and is_active and not is_own and not exists (
    select from legal_matter_people p where p.client_id = h.client_id and p.target_type = h.target_type and p.target = h.target and p.removed_at is null)`

/**
 * Payloads destroyed despite a hold on their person, except by the ledger in the keystore: `subject`, `detail`;
 * `mine` narrows payloads `p`.
 */
export const brokenHolds = (mine: string): string => `
  select p.payload_reference as subject, 'at ' || t.at || ', held since or until ' || e.at as detail
  from legal_holds h join payloads p on p.client_id = h.client_id and p.device_user_id = h.device_user_id
  join payload_history t on t.client_id = p.client_id and t.payload_id = p.payload_id and t.to_state in (${S.Deleted}, ${S.Destroyed})
  cross join lateral (
    select act, at from legal_hold_events e where e.client_id = h.client_id and e.target_type = h.target_type and e.target = h.target
      and e.at < t.at order by event_id desc limit 1) e
  where h.client_id = $1 and ${mine} and t.by <> '${REPLAY}' and (e.act = 'set' or e.at > t.at - ${HOLD_GRACE_SECONDS})`

/**
 * Device metrics that differ from the payloads: `subject`, `detail`, for $1 client_id and $2 since (all are examined).
 */
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

/** Statements about positions of devices, as those of `rows.ts`. */
export const POSITION_CHECKS: readonly { check: Check; sql: string }[] = [
  {
    check: 'report_wrong',
    sql: `select 'position ' || p.gps_reference as subject, case
        when p.device_id not in (select device_id from devices where client_id = $1) then 'no such device'
        when p.group_id not in (select group_id from groups where client_id = $1) then 'no such group'
        when p.device_user_id not in (select device_user_id from device_users where client_id = $1) then 'no such person'
        when k.key_id is null then 'no such key' else 'a key of another device or day' end as detail
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

/**
 * Retention policies out of order, and legal minimums that fell or disappeared: `subject`, `detail`, for $1 client_id
 * and $2 since (all are examined).
 */
export const POLICIES = `
  with p as (
    select *, lag(policy_version) over w as before, lag(at) over w as at_before, lag(minimums) over w as minimums_before
    from retention_policies where client_id = $1 and $2::bigint is not distinct from $2 window w as (order by policy_version)
  )
  select 'version ' || policy_version as subject, 'does not follow the version before' as detail from p
  where policy_version <> coalesce(before, 0) + 1 or at < at_before
  union all
  select 'version ' || policy_version, 'the minimum of ' || (m ->> 'payload_type') || ' fell' from p
  cross join lateral jsonb_array_elements(minimums_before) m
  where (m ->> 'days')::int > coalesce(
    (select (n ->> 'days')::int from jsonb_array_elements(minimums) n where n ->> 'payload_type' = m ->> 'payload_type'), -1)`

const TYPE_NAME = `case p.type ${Object.entries(TYPE_CODES)
  .map(([name, code]) => `when ${code} then '${name}'`)
  .join(' ')} end`

/**
 * Payloads that retention deleted before any policy allowed it, or without a trail: `subject`, `detail`; `mine`
 * narrows payloads `p`. Days count from the recording or later, so no payload expires before the days of the shortest
 * policy.
 */
export const earlyDeletions = (mine: string): string => `
  with r as (
    select v.at, e ->> 'payload_type' as payload_type, coalesce(e ->> 'delete_after_days', e ->> 'destroy_after_days')::int as days
    from retention_policies v cross join lateral jsonb_array_elements(v.entries) e
    where v.client_id = $1 and e ->> 'entity_type' = 'Payload' and coalesce(e ->> 'delete_after_days', e ->> 'destroy_after_days') is not null
  )
  select p.payload_reference as subject,
    case when a.at is null then 'no entry of the trail at ' || t.at else 'no policy let it go at ' || t.at end as detail
  from payload_history t join payloads p using (client_id, payload_id)
  left join payload_audit a on a.client_id = t.client_id and a.payload_id = t.payload_id and a.at = t.at and a.portal_user = t.by
  where t.client_id = $1 and ${mine} and t.by = '${RETENTION}' and t.to_state = ${S.Deleted}
    and (a.at is null or not exists (select from r where r.payload_type = ${TYPE_NAME} and r.at <= t.at
      and p.payload_time + r.days::bigint * 86400 <= t.at))`

/**
 * Payloads that retention destroyed before the ledger's policy entry or a legal minimum allowed it, before a required
 * event, or without a trail: `subject`, `detail`; `mine` narrows payloads `p`.
 */
export const earlyDestructions = (mine: string): string => `
  select * from (
    select p.payload_reference as subject, case
        when v.policy_version is null then 'destroyed by an entry that there was not at ' || l.destroyed_at
        when not exists (select from payload_history t join payload_audit a using (client_id, payload_id, at)
            where t.client_id = l.client_id and t.payload_id = l.payload_id and t.to_state = ${S.Destroyed}
              and a.portal_user = t.by and a.action = 'retention:destroy')
          then 'no entry of the trail for its destruction at ' || l.destroyed_at
        when l.destroyed_at >= (case when l.rule ? 'delete_after_days' then l.deleted_at else p.payload_time end)
            + (l.rule ->> 'destroy_after_days')::bigint * 86400 is not true
          then 'its entry did not let it be destroyed at ' || l.destroyed_at
        when not coalesce(l.rule -> 'required_receipts' <@ (l.gates -> 'receipts'), false) then 'destroyed without a receipt that it waits for'
        when not l.rule -> 'required_transfers' <@ coalesce(l.gates -> 'transfers', '[]') then 'destroyed without a transfer that it waits for'
        when exists (select from retention_policies m cross join lateral jsonb_array_elements(m.minimums) e
            where m.client_id = l.client_id and m.at < l.destroyed_at and e ->> 'payload_type' = ${TYPE_NAME}
              and p.payload_time + (e ->> 'days')::bigint * 86400 > l.destroyed_at)
          then 'the law did not let it be destroyed at ' || l.destroyed_at
      end as detail
    from destruction_ledger l join payloads p using (client_id, payload_id)
    left join retention_policies v on v.client_id = l.client_id and v.policy_version = l.policy_version and v.at <= l.destroyed_at
      and v.entries @> jsonb_build_array(l.rule)
    where l.client_id = $1 and ${mine} and l.destroyed_by = '${RETENTION}' and l.replayed_at is null) x where detail is not null`

/**
 * Entries of deleted or destroyed other records before any policy allowed it for the youngest record: `subject`,
 * `detail`, for $1 client_id and $2 since. The records are gone; the entry states their end of retention.
 */
export const EARLY_RECORDS = `
  with r as (
    select v.at, e ->> 'entity_type' as follows, (e ->> 'delete_after_days')::bigint as first, (e ->> 'destroy_after_days')::bigint as days
    from retention_policies v cross join lateral jsonb_array_elements(v.entries) e where v.client_id = $1
  )
  select 'entry ' || a.log_id as subject, 'no policy let go what went with it' as detail
  from portal_activities a
  join (values ${RETAINED_KINDS.map((kind) => `('${kind.action}', '${kind.follows}', '${getStage(kind)}')`).join(', ')}) k (action, follows, stage) using (action)
  where a.client_id = $1 and ($2::bigint is null or a.activity_time >= $2) and a.user_reference = '${RETENTION}'
    and not exists (select from r where r.follows = k.follows and r.at <= a.activity_time
      and (a.parameters::jsonb #>> '{body,until}')::bigint + 86400 * (case k.stage when 'ended' then r.first when 'deleted' then r.days
        else coalesce(r.first, 0) + r.days end) <= a.activity_time)
  union all
  select 'entry ' || a.log_id, 'what went with it is kept for longer'
  from portal_activities a
  join (values ${SELF_EXPIRING_KINDS.map((kind) => `('${kind.action}', ${kind.days})`).join(', ')}) k (action, days) using (action)
  where a.client_id = $1 and ($2::bigint is null or a.activity_time >= $2) and a.user_reference = '${RETENTION}'
    and ((a.parameters::jsonb #>> '{body,until}')::bigint + 86400 * k.days::bigint <= a.activity_time) is not true`

/** Until when entries of an audit log may have gone by a policy that there was, by what retention says that it destroyed; 0: none has. For $1 client_id. */
export const goneUntil = ({ destroyed_as, follows }: { destroyed_as: string; follows: string }): string => `
  select coalesce(max(least((r.parameters::jsonb #>> '{body,until}')::bigint,
    r.activity_time - 86400 * (coalesce((e ->> 'delete_after_days')::bigint, 0) + (e ->> 'destroy_after_days')::bigint))), 0) as until
  from portal_activities r join retention_policies v on v.client_id = r.client_id and v.at <= r.activity_time
  cross join lateral jsonb_array_elements(v.entries) e
  where r.client_id = $1 and r.user_reference = '${RETENTION}' and r.action = '${destroyed_as}' and e ->> 'entity_type' = '${follows}'`

/** As `goneUntil`, of the portal's log. */
export const ACTIVITIES_GONE = goneUntil({
  destroyed_as: 'retention:destroy_activities',
  follows: 'PortalUser',
})

/**
 * Acts of one person that needed two, and second persons without a confirmed proposal: `subject`, `detail`, for $1
 * client_id and $2 since (all are examined).
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
  select e.target_type || ' ' || e.target, 'released by two people without a confirmation of the second' from legal_hold_events e
  where e.client_id = $1 and e.confirmed_by is not null and not exists (select from confirmed c
    where c.kind in ('ReleaseHold', 'ReleaseMatterPerson', 'CloseMatter') and (c.proposed_by, c.decided_by) = (e.by, e.confirmed_by))
  union all
  select 'retention policy ' || p.policy_version, 'shortened by two people without a confirmation of the second' from retention_policies p
  where p.client_id = $1 and p.confirmed_by is not null and not exists (select from confirmed c
    where c.kind = 'ShortenRetention' and (c.proposed_by, c.decided_by) = (p.by, p.confirmed_by))
  union all
  select 'two-person rule ' || v.version, 'switched by two people without a confirmation of the second' from dual_control_versions v
  where v.client_id = $1 and not exists (select from confirmed c
    where c.kind = 'RequireTwoPeople' and (c.proposed_by, c.decided_by) = (v.by, v.confirmed_by))
    -- The operator may switch it off alone, and the log says so, until the policy lets that entry go.
    and not (v.by = '${OPERATOR}' and not v.is_required and (v.at <= (${ACTIVITIES_GONE}) or exists (select from portal_activities a
      where a.client_id = v.client_id and a.user_reference = v.by and a.action = 'operator:lift_two_people' and abs(a.activity_time - v.at) <= 60)))`
