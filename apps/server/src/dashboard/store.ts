import { type Dashboard, FIRST_STEPS, type FirstStep } from '@custodia/contract'
import type { Queryable } from '../ports/database/lease.ts'

/** Open capture gaps of some groups, or all; those that differ by their service only count once, as in the list. */
export function countOpenGaps(q: Queryable, groups: readonly number[] | 'all'): Promise<number> {
  return q.count(
    `select count(distinct (device_user_id, device_id, reason, from_at, group_id))::int as total from capture_gaps
     where client_id = $1 and to_at is null and ($2::int[] is null or group_id = any($2))`,
    [q.client_id, groups === 'all' ? null : groups],
  )
}

/** Destruction lists that wait for their release. */
export function countWaitingDestructions(q: Queryable): Promise<number> {
  return q.count(
    `select count(*)::int as total from destruction_lists where client_id = $1 and state = 'waiting'`,
    [q.client_id],
  )
}

/** Open data subject requests, and those past their date. */
export async function countRequests(
  q: Queryable,
  now: number,
): Promise<NonNullable<Dashboard['data_requests']>> {
  const { rows } = await q.query<{ open: number; overdue: number }>(
    `select count(*)::int as open, count(*) filter (where due_at < $2)::int as overdue
     from data_requests where client_id = $1 and state = 'Open'`,
    [q.client_id, now],
  )
  return rows[0] ?? { open: 0, overdue: 0 }
}

/** First steps of a client that are not done, in order. Some rows of a step's table mean that it is done. */
export async function findOpenSteps(q: Queryable): Promise<FirstStep[]> {
  const { rows } = await q.query<Record<FirstStep, boolean>>(
    `select
       c.mapping_updated_at is not null or others.have_roles as identity,
       exists (select from roles where client_id = $1) or exists (select from role_assignments where client_id = $1)
         or others.have_roles as roles,
       (select count(*) from (select 1 from groups where client_id = $1 and not is_reserved limit 2) g) > 1 as groups,
       (select count(*) from (select user_reference from portal_people where client_id = $1
         union select user_reference from role_assignments where client_id = $1
         union select o.user_reference from oidc_people o join clients c using (client) where c.client_id = $1 limit 2) p) > 1 as people,
       exists (select from device_users where client_id = $1) as device_users,
       exists (select from devices where client_id = $1) as devices,
       exists (select from payloads where client_id = $1) as recordings,
       exists (select from retention_policies where client_id = $1) as retention,
       exists (select from alert_subscriptions where client_id = $1) as alert_mails,
       exists (select from transfer_configs where client_id = $1) as transfers
     from clients c cross join lateral (select exists (select from portal_sessions s where s.client_id = $1 and s.roles <> '{}'
       and s.user_reference is distinct from c.first_administrator) as have_roles) others
     where c.client_id = $1`,
    [q.client_id],
  )
  return FIRST_STEPS.filter((step) => rows[0]?.[step] !== true)
}
