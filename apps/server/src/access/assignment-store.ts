import type { GivenRole, RoleAssignment } from '@custodia/contract'
import type { ClaimedRights } from '@custodia/domain'
import type { PortalUser } from '../http/context.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** The portal's assignment of a person; undefined: none. */
export function findAssignment(q: Queryable, user_reference: string): Promise<RoleAssignment | undefined> {
  return q.row<RoleAssignment>(
    'select roles, groups, ends_at, matters from role_assignments where client_id = $1 and user_reference = $2',
    [q.client_id, user_reference],
  )
}

/** What people of the tenant are assigned without an end, or with one, by their references. */
export async function findAssignments(
  q: Queryable,
  { isTemporary = false } = {},
): Promise<Map<string, RoleAssignment>> {
  const { rows } = await q.query<RoleAssignment & { user_reference: string }>(
    'select user_reference, roles, groups, ends_at, matters from role_assignments where client_id = $1 and (ends_at is not null) = $2',
    [q.client_id, isTemporary],
  )
  return new Map(rows.map(({ user_reference, ...assignment }) => [user_reference, assignment]))
}

/** People whose temporary access ends or ended within a span. */
export function findEndingAccess(
  q: Queryable,
  { from, to }: { from: number; to: number },
): Promise<{ user_reference: string; ends_at: number }[]> {
  return q.rows<{ user_reference: string; ends_at: number }>(
    `select user_reference, ends_at from role_assignments
     where client_id = $1 and ends_at > $2 and ends_at <= $3 order by user_reference`,
    [q.client_id, from, to],
  )
}

/** The roles of a caller as of now: none without an open session, and none in support mode without an approval. */
export async function findHeldRoles(
  q: Queryable,
  caller: Pick<PortalUser, 'user_reference' | 'session_id' | 'is_client_app' | 'support_reference'>,
): Promise<{ roles: string[]; groups: string[] | null; matters: string[] | null }> {
  const none = { roles: [], groups: null, matters: null }
  const unconfined = 'null as groups, null as matters'
  const find = (statement: string, reference: string) =>
    q.row<typeof none>(statement, [q.client_id, reference])
  const found =
    caller.support_reference !== undefined
      ? find(
          `select array[role] as roles, ${unconfined} from support_access
           where client_id = $1 and request_reference = $2 and approval_state = 'approved'`,
          caller.support_reference,
        )
      : caller.is_client_app
        ? find(
            `select roles, ${unconfined} from client_apps where client_id = $1 and app_reference = $2`,
            caller.user_reference,
          )
        : find(
            `select s.roles, s.groups, a.matters from portal_sessions s left join role_assignments a using (client_id, user_reference)
             where s.client_id = $1 and s.session_id = $2 and s.ended_at is null`,
            caller.session_id,
          )
  return (await found) ?? none
}

/** Replaces what a person is assigned; without roles the assignment is removed. */
export async function writeAssignment(
  tx: Tx,
  user_reference: string,
  { roles, groups, ends_at, matters }: RoleAssignment,
): Promise<void> {
  if (roles.length === 0)
    await tx.query('delete from role_assignments where client_id = $1 and user_reference = $2', [
      tx.client_id,
      user_reference,
    ])
  else
    await tx.query(
      `insert into role_assignments (client_id, user_reference, roles, groups, ends_at, matters) values ($1, $2, $3::jsonb, $4, $5, $6)
       on conflict (client_id, user_reference) do update set roles = excluded.roles, groups = excluded.groups,
         ends_at = excluded.ends_at, matters = excluded.matters`,
      [tx.client_id, user_reference, JSON.stringify(roles), groups, ends_at, matters],
    )
}

/**
 * Waits for a change of the tenant's rights that is under way; until the transaction ends no other begins. Sign-ins and renewals share it, so
 * that no session is written with an assignment that was just replaced.
 */
export async function shareRights(tx: Tx): Promise<void> {
  await tx.query('select from clients where client_id = $1 for share', [tx.client_id])
}

/**
 * What a temporary assignment gives, in place of claims and defaults: after its end no role. Undefined for one without
 * an end.
 */
export function temporaryRights(
  assigned: RoleAssignment | undefined,
  now: number,
): Pick<ClaimedRights, 'roles' | 'groups'> | undefined {
  if (!assigned || assigned.ends_at === null) return undefined
  const given = assigned.ends_at <= now ? [] : assigned.roles
  const roles = given.map(({ role }) => ({ role, source: 'assignment' as const, value: null }))
  return { roles, groups: assigned.groups }
}

/**
 * Gives a person other roles and groups in their open sessions and in their last one, by which lists and mails know
 * them. Sessions end with temporary access.
 */
export async function writeRightsOfSessions(
  tx: Tx,
  user_reference: string,
  rights: { roles: readonly GivenRole[]; groups: readonly string[] | null; ends_at: number | null },
  now: number,
): Promise<void> {
  const { roles, groups, ends_at } = rights
  await tx.query(
    `update portal_sessions set roles = $3, groups = $4, role_sources = $5, expires_at = least(expires_at, $7::bigint)
     where client_id = $1 and user_reference = $2 and ((ended_at is null and expires_at > $6) or session_id = (
       select session_id from portal_sessions where client_id = $1 and user_reference = $2
       order by created_at desc, session_id desc limit 1))`,
    [
      tx.client_id,
      user_reference,
      roles.map(({ role }) => role),
      groups,
      JSON.stringify(roles),
      now,
      ends_at,
    ],
  )
}
