import { RETENTION } from '../http/context.ts'
import { STATE_CODES as S, TYPE_CODES } from '../payload-records/codes.ts'
import { SELF_EXPIRING_KINDS, RETAINED_KINDS, stageOf } from '../retention/store.ts'

/**
 * Retention policies that do not follow each other, and minimums of the law that fell or went: `subject`, `detail`, for $1 client_id and $2
 * since (all are looked at).
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
 * Payloads that retention deleted although no policy that there was could have let them go then, or of which no trail says so: `subject`,
 * `detail`; `mine` narrows payloads `p`. Days count from the recording or later, so none goes before those of the shortest policy.
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
 * Payloads that retention destroyed before the entry of the policy that the ledger names let them go, or a minimum of the law, or without what
 * it waits for, or without a word in its trail: `subject`, `detail`; `mine` narrows payloads `p`.
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
 * Entries of what retention deleted or destroyed beside payloads although no policy that there was could have let the youngest of it go then, or before days of its own: `subject`,
 * `detail`, for $1 client_id and $2 since. What went can be asked no more; its entry says until when it was.
 */
export const EARLY_RECORDS = `
  with r as (
    select v.at, e ->> 'entity_type' as follows, (e ->> 'delete_after_days')::bigint as first, (e ->> 'destroy_after_days')::bigint as days
    from retention_policies v cross join lateral jsonb_array_elements(v.entries) e where v.client_id = $1
  )
  select 'entry ' || a.log_id as subject, 'no policy let go what went with it' as detail
  from portal_activities a
  join (values ${RETAINED_KINDS.map((kind) => `('${kind.action}', '${kind.follows}', '${stageOf(kind)}')`).join(', ')}) k (action, follows, stage) using (action)
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

/** Until when entries of the portal's log may have gone by a policy that there was, by what retention says that it destroyed; 0: none has. For $1 client_id. */
export const ACTIVITIES_GONE = `
  select coalesce(max(least((r.parameters::jsonb #>> '{body,until}')::bigint,
    r.activity_time - 86400 * (coalesce((e ->> 'delete_after_days')::bigint, 0) + (e ->> 'destroy_after_days')::bigint))), 0)
  from portal_activities r join retention_policies v on v.client_id = r.client_id and v.at <= r.activity_time
  cross join lateral jsonb_array_elements(v.entries) e
  where r.client_id = $1 and r.user_reference = '${RETENTION}' and r.action = 'retention:destroy_activities' and e ->> 'entity_type' = 'PortalUser'`
