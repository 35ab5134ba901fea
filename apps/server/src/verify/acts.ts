import { PROPOSAL_ACTIONS } from '@custodia/contract'

/** Seconds by which a record and its entry in the audit log may lie apart: an entry has the time at which its call began. */
const APART = 120

/**
 * Successful calls from the audit log: `log_id`, `actor`, `t`, `status_code` and `p`, their parameters. Entries with
 * cut parameters are excluded.
 */
const entriesOf = (...actions: string[]): string => `
  entries as materialized (
    select log_id, action, activity_time as t, status_code, parameters::jsonb as p,
      user_reference || case when support_reference is not null then ' (support)' when is_client_app then ' (app)' else '' end as actor
    from portal_activities
    where client_id = $1 and ($2::bigint is null or activity_time >= $2) and is_allowed
      and action in (${actions.map((action) => `'${action}'`).join(', ')}) and parameters not like '%"sha256"%')`
const near = (column: string) => `abs(${column} - e.t) <= ${APART}`

/** Legal holds that were set or released as the audit log says, and of which no event says so: `subject`, `detail`. */
export const HOLD_ACTS = `
  with ${entriesOf('account.legal_holds:update', 'account.legal_holds:delete')},
  acts as (
    select e.*, p -> 'params' ->> 'target_type' as target_type, p -> 'params' ->> 'target' as target,
      case action when 'account.legal_holds:update' then 'set' else 'released' end as act
    from entries e where status_code = 200)
  select target_type || ' ' || target as subject, act || ' by the entry ' || log_id || ', and no event says so' as detail from acts e
  where not exists (select from legal_hold_events h where h.client_id = $1 and h.target_type = e.target_type and h.target = e.target
      and h.act = e.act and ${near('h.at')})
    -- People who were held already stay held.
    and not (e.act = 'set' and coalesce((select h.act = 'set' from legal_hold_events h
      where h.client_id = $1 and h.target_type = e.target_type and h.target = e.target and h.at < e.t order by h.event_id desc limit 1), false))`

/** The days of policy entries, by subject. */
const days = (entries: string) => `(select coalesce(jsonb_agg(jsonb_build_array(
    x ->> 'entity_type', x ->> 'payload_type', x -> 'delete_after_days', x -> 'destroy_after_days') order by x ->> 'entity_type', x ->> 'payload_type'), '[]')
  from jsonb_array_elements(${entries}) x)`

/** Retention policies that differ from the audit log in their days, or are missing: `subject`, `detail`. */
export const RETENTION_ACTS = `
  with ${entriesOf('account.retention:update')}
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
  with ${entriesOf(...PROPOSES)}
  select 'entry ' || log_id as subject, 'no proposal of ' || actor || ' at its time' as detail from entries e
  where status_code = 202 and not exists (select from proposals p where p.client_id = $1 and p.proposed_by = e.actor and ${near('p.proposed_at')})`

/** Requests of people that were entered with other dates, as the audit log says, and are still kept: `subject`, `detail`. */
export const REQUEST_ACTS = `
  with ${entriesOf('account.data_requests:create')}
  , near as (
    select e.log_id, r.data_request_id, r.received_at = (p -> 'body' ->> 'received_at')::bigint
      and r.due_at is not distinct from coalesce((p -> 'body' ->> 'due_at')::bigint, case r.law
        when 'GDPR' then extract(epoch from (to_timestamp(r.received_at) at time zone 'UTC' + interval '1 month') at time zone 'UTC')::bigint
        when 'LGPD' then r.received_at + 15 * 86400 end) as is_same
    from entries e join data_requests r on r.client_id = $1 and r.opened_by = e.actor and ${near('r.opened_at')} and r.kind = p -> 'body' ->> 'kind'
    where e.status_code = 200)
  select min(data_request_id) as subject, 'received or due at another time than was entered' as detail
  from near group by log_id having not bool_or(is_same)`
