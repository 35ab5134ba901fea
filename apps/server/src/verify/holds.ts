import { HOLD_GRACE_SECONDS } from '@custodia/domain'
import { REPLAY } from '../destruction/store.ts'
import { STATE_CODES as S } from '../payload-records/codes.ts'

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
      when h.client_id is null then 'events of no hold'
      when e.client_id is null then 'a hold without events'
      when h.is_active <> (e.act = 'set') then case when h.is_active then 'held' else 'not held' end || ', and its last event says otherwise'
      else 'changed at another time or by another person than its last event' end as detail
  from h full join (select * from e where is_last) e using (target_type, target)
  where h.client_id is null or e.client_id is null or h.is_active <> (e.act = 'set') or (h.updated_at, h.updated_by) <> (e.at, e.by)
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
