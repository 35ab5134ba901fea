import { PROPOSAL_ACTIONS } from '@custodia/contract'
import { STATE_CODES as S } from '../payload-records/codes.ts'
import { ACTIVITIES_GONE } from './retention.ts'

/** Seconds by which a record and its entry in the audit log may lie apart: an entry has the time at which its call began. */
const APART = 120

/**
 * Successful calls from the audit log: `log_id`, `actor`, `t`, `status_code` and `p`, their parameters. Entries with
 * cut parameters are excluded.
 */
const getEntries = (...actions: string[]): string => `
  entries as materialized (
    select log_id, action, activity_time as t, status_code, parameters::jsonb as p,
      user_reference || case when support_reference is not null then ' (support)' when is_client_app then ' (app)' else '' end as actor
    from portal_activities
    where client_id = $1 and ($2::bigint is null or activity_time >= $2) and is_allowed
      and action in (${actions.map((action) => `'${action}'`).join(', ')}) and parameters not like '%"sha256"%')`
const near = (column: string) => `abs(${column} - e.t) <= ${APART}`

/** Legal holds that were set or released as the audit log says, and of which no event says so: `subject`, `detail`. */
export const HOLD_ACTS = `
  with ${getEntries('account.legal_holds:update', 'account.legal_holds:delete')},
  acts as (
    select e.*, p -> 'params' ->> 'target_type' as target_type, p -> 'params' ->> 'target' as target,
      case action when 'account.legal_holds:update' then 'set' else 'released' end as act
    from entries e where status_code = 200)
  select target_type || ' ' || target as subject, act || ' by the entry ' || log_id || ', and no event says so' as detail from acts e
  where not exists (select from legal_hold_events h where h.client_id = $1 and h.target_type = e.target_type and h.target = e.target
      and h.act = e.act and ${near('h.at')})
    -- People who were held already stay held, unless that hold lacks an entry of its own: it was moved to an earlier time.
    and not (e.act = 'set' and coalesce((select h.act = 'set' and (h.by <> e.actor or h.matter_id is not null or h.at < log.since
        or exists (select from portal_activities a where a.client_id = $1 and a.action = e.action and abs(h.at - a.activity_time) <= ${APART}))
      from legal_hold_events h, (select min(activity_time) as since from portal_activities where client_id = $1) log
      where h.client_id = $1 and h.target_type = e.target_type and h.target = e.target and h.at < e.t order by h.event_id desc limit 1), false))`

/** The days of policy entries, by subject. */
const days = (entries: string) => `(select coalesce(jsonb_agg(jsonb_build_array(
    x ->> 'entity_type', x ->> 'payload_type', x -> 'delete_after_days', x -> 'destroy_after_days') order by x ->> 'entity_type', x ->> 'payload_type'), '[]')
  from jsonb_array_elements(${entries}) x)`

/** Retention policies that differ from the audit log in their days, or are missing: `subject`, `detail`. */
export const RETENTION_ACTS = `
  with ${getEntries('account.retention:update')}
  select 'entry ' || log_id as subject, 'no version of that time has the days that it saved' as detail from entries e
  where status_code = 200 and jsonb_typeof(p -> 'body' -> 'entries') = 'array' and not exists (
    select from retention_policies v where v.client_id = $1
      and (${near('v.at')} or v.policy_version = (select max(policy_version) from retention_policies w where w.client_id = $1 and w.at <= e.t))
      and ${days('v.entries')} = ${days(`p -> 'body' -> 'entries'`)})`

const PROPOSES = [...new Set(Object.values(PROPOSAL_ACTIONS))].filter(
  // Its proposer is of the provider.
  (action) => action !== PROPOSAL_ACTIONS.ChangeIdentityProvider,
)

/** Proposals that the audit log attributes to another person, or that are gone: `subject`, `detail`. */
export const PROPOSAL_ACTS = `
  with ${getEntries(...PROPOSES)}
  select 'entry ' || log_id as subject, 'no proposal of ' || actor || ' at its time' as detail from entries e
  where status_code = 202 and not exists (select from proposals p where p.client_id = $1 and p.proposed_by = e.actor and ${near('p.proposed_at')})`

/** Requests of people that were entered with other dates, as the audit log says, and are still kept: `subject`, `detail`. */
export const REQUEST_ACTS = `
  with ${getEntries('account.data_requests:create')}
  , near as (
    select e.log_id, r.data_request_id, r.received_at = (p -> 'body' ->> 'received_at')::bigint
      and r.due_at is not distinct from coalesce((p -> 'body' ->> 'due_at')::bigint, case r.law
        when 'GDPR' then extract(epoch from (to_timestamp(r.received_at) at time zone 'UTC' + interval '1 month') at time zone 'UTC')::bigint
        when 'LGPD' then r.received_at + 15 * 86400 end) as is_same
    from entries e join data_requests r on r.client_id = $1 and r.opened_by = e.actor and ${near('r.opened_at')} and r.kind = p -> 'body' ->> 'kind'
    where e.status_code = 200)
  select min(data_request_id) as subject, 'received or due at another time than was entered' as detail
  from near group by log_id having not bool_or(is_same)`

/** Columns of portal_activities `e`: the actor as records name them. */
const ACTOR = `e.user_reference || case when e.support_reference is not null then ' (support)' when e.is_client_app then ' (app)' else '' end`

/** Records of acts: `subject` and `at`; one of the `actors` made a call of one of the `actions`. */
const RECORDS = [
  `select 'hold of ' || target_type || ' ' || target || ', ' || act as subject, at, array[by, confirmed_by] as actors,
     '{account.legal_holds:update,account.legal_holds:delete,account.legal_matters:update,account.legal_matters:delete,account.proposals:update}'::text[] as actions
   from legal_hold_events where client_id = $1`,
  `select 'retention policy ' || policy_version, at, array[by, confirmed_by], '{account.retention:update,account.proposals:update}'
   from retention_policies where client_id = $1`,
  `select 'proposal ' || proposal_id, proposed_at, array[proposed_by], '{${[...PROPOSES, 'transfer_configs:create'].join()}}'
   from proposals where client_id = $1 and kind <> 'ChangeIdentityProvider'`,
  `select 'data subject request ' || data_request_id, opened_at, array[opened_by], '{account.data_requests:create}'
   from data_requests where client_id = $1`,
  `select 'export ' || export_id, created_at, array[made_by], '{payloads:export,account.data_requests:copy}'
   from data_exports where client_id = $1`,
  `select 'alert ' || alert_reference, cleared_at, array[cleared_by], '{alerts:clear}'
   from alerts where client_id = $1 and cleared_by not like '% (provider)'`,
].join(' union all ')

/**
 * Records of acts that the audit log lacks, or attributes to another person or action: `subject`, `detail`. Records
 * outlive entries that the policy let go.
 */
export const ENTRIES = `
  select a.log_id as subject, a.action || case when e.log_id is null then ', no such entry' else ', by another person or for another act' end as detail
  from payload_audit a left join portal_activities e on e.client_id = a.client_id and e.log_id = a.log_id
  where a.client_id = $1 and ($2::bigint is null or a.at >= $2) and a.at > (${ACTIVITIES_GONE})
    and (e.log_id is null or (a.portal_user, a.action) <> (${ACTOR}, e.action))
  union all
  select r.subject, 'no entry of its author at its time' from (${RECORDS}) r
  where ($2::bigint is null or r.at >= $2) and r.at > (${ACTIVITIES_GONE}) and array_to_string(r.actors, ',') not like '% (system)%'
    and not exists (select from portal_activities e where e.client_id = $1 and e.activity_time between r.at - ${APART} and r.at + ${APART}
      and e.is_allowed and e.action = any(r.actions) and ${ACTOR} = any(r.actors))`

/**
 * Messages whose mark and link differ, or whose link is not the first of the duplicates: `subject`, `detail`, for $1
 * client_id and $2 since (all are examined).
 */
export const COPIES = `
  select * from (
    select p.payload_reference as subject, case
        when c.payload_id is null then 'marked, and linked to none'
        when not p.is_copy and not exists (select from payload_history y
            where y.client_id = $1 and y.payload_id = c.first_payload_id and y.to_state = ${S.Deleted} and y.at >= c.at) then 'linked, and not marked'
        when p.is_copy and p.state not in (${S.Deleted}, ${S.Destroyed}) and o.state in (${S.Deleted}, ${S.Destroyed}) then 'hidden, and its first is gone'
        when f.payload_id is null then 'linked to what is no first'
        when o.device_id <> p.device_id or o.type <> p.type or o.is_copy then 'linked to another message' end as detail
    from (select * from payload_copies where client_id = $1 and $2::bigint is not distinct from $2) c
    full join (select payload_id from payloads where client_id = $1 and is_copy) m using (payload_id)
    join payloads p on p.payload_id = coalesce(c.payload_id, m.payload_id)
    left join payloads o on o.payload_id = c.first_payload_id
    left join message_firsts f on f.client_id = $1 and f.payload_id = c.first_payload_id
  ) x where detail is not null
  union all
  select p.payload_reference, 'first, and a copy' from message_firsts f join payloads p using (client_id, payload_id)
  where f.client_id = $1 and p.is_copy`

/**
 * Data subject requests that contradict their person, copies or times: `subject`, `detail`, for $1 client_id and $2
 * since (all are examined).
 */
export const DATA_REQUESTS = `
  select r.data_request_id as subject, case
      when u.device_user_reference <> r.subject then 'names another person than its subject'
      when r.closed_at < r.opened_at then 'ended before it was entered'
      else 'was copied before it was entered, or once it had ended' end as detail
  from data_requests r
  left join device_users u using (client_id, device_user_id)
  where r.client_id = $1 and $2::bigint is not distinct from $2 and (
    u.device_user_reference <> r.subject or r.closed_at < r.opened_at
    or exists (select from data_request_copies c where c.client_id = r.client_id and c.data_request_id = r.data_request_id
      and (r.kind = 'Erasure' or r.subject_type = 'PortalUser' or c.made_at < r.opened_at - 60 or c.made_at > r.closed_at + 60)))`

/** Seconds within which a destruction must have removed keys and objects. */
const FINISHED_WITHIN = 900

/**
 * Payloads whose destruction differs from the ledger, or that remain readable after it: `subject`, `detail`; `mine`
 * narrows payloads `p`.
 */
export const brokenDestructions = (mine: string): string => `
  select * from (
    select p.payload_reference as subject, case
        when l.payload_id is null then 'destroyed, and not in the ledger'
        when p.state <> ${S.Destroyed} then 'in the ledger, and not destroyed'
        when i.payload_id is null and e.payload_id is null then 'neither finished nor to be finished'
        when i.payload_id is not null and e.payload_id is not null then 'finished, and still to be finished'
        when i.since < extract(epoch from clock_timestamp()) - ${FINISHED_WITHIN} then 'not finished since ' || i.since
        when l.payload_reference <> p.payload_reference or l.type <> p.type then 'another payload in the ledger'
        when exists (select from payload_envelopes v where v.payload_id = p.payload_id and (v.encrypted_dek <> '' or v.dek_key is not null or v.sealed_meta <> ''))
          then 'what its device announced is still there'
        when exists (select from payload_comments c where c.client_id = p.client_id and c.payload_id = p.payload_id) then 'comments are still there'
        when l.replayed_at is null and (select v.is_required from destruction_review_versions v
            where v.client_id = p.client_id and v.at < l.destroyed_at order by v.version desc limit 1)
          and not exists (select from destruction_list_items x join destruction_lists y using (client_id, destruction_reference)
            where x.client_id = p.client_id and x.payload_id = p.payload_id and x.state = 'destroyed' and y.released_at <= l.destroyed_at)
          and not exists (select from destruction_review_versions v where v.client_id = p.client_id and v.at = l.destroyed_at)
          then 'destroyed without a release'
        when exists (select from destruction_lists y join destruction_list_items x using (client_id, destruction_reference)
            join retention_policies v using (client_id, policy_version)
            where x.client_id = p.client_id and x.payload_id = p.payload_id and x.state = 'destroyed' and v.by = y.released_by)
          then 'released by who had saved the policy'
        when exists (select from payload_marks m where m.client_id = p.client_id and m.payload_id = p.payload_id) then 'marks are still there'
        when exists (select from payload_plays h where h.client_id = p.client_id and h.payload_id = p.payload_id) then 'played parts are still there'
      end as detail
    from payloads p left join destruction_ledger l using (client_id, payload_id) left join destruction_intents i using (client_id, payload_id)
    left join destruction_ends e using (client_id, payload_id)
    where ${mine} and (p.state = ${S.Destroyed} or l.payload_id is not null)) x where detail is not null`
