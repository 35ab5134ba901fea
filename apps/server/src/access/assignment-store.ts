import type { GivenRole, RoleAssignment } from '@custodia/contract'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** What a person of the tenant is assigned; undefined: nothing. */
export async function findAssignment(
  q: Queryable,
  user_reference: string,
): Promise<RoleAssignment | undefined> {
  const { rows } = await q.query<RoleAssignment>(
    'select roles, groups from role_assignments where client_id = $1 and user_reference = $2',
    [q.client_id, user_reference],
    'role_assignment',
  )
  return rows[0]
}

/** What all people of the tenant are assigned, by their references. */
export async function findAssignments(q: Queryable): Promise<Map<string, RoleAssignment>> {
  const { rows } = await q.query<RoleAssignment & { user_reference: string }>(
    'select user_reference, roles, groups from role_assignments where client_id = $1',
    [q.client_id],
    'role_assignments',
  )
  return new Map(rows.map(({ user_reference, ...assignment }) => [user_reference, assignment]))
}

/** Replaces what a person is assigned; without roles the assignment is removed. */
export async function writeAssignment(
  tx: Tx,
  user_reference: string,
  { roles, groups }: RoleAssignment,
): Promise<void> {
  if (roles.length === 0)
    await tx.query('delete from role_assignments where client_id = $1 and user_reference = $2', [
      tx.client_id,
      user_reference,
    ])
  else
    await tx.query(
      `insert into role_assignments (client_id, user_reference, roles, groups) values ($1, $2, $3::jsonb, $4)
       on conflict (client_id, user_reference) do update set roles = excluded.roles, groups = excluded.groups`,
      [tx.client_id, user_reference, JSON.stringify(roles), groups],
    )
}

/**
 * Waits for a change of the tenant's rights that is under way; until the transaction ends no other begins. Sign-ins and renewals share it, so
 * that no session is written with an assignment that was just replaced.
 */
export async function shareRights(tx: Tx): Promise<void> {
  await tx.query('select from clients where client_id = $1 for share', [tx.client_id], 'share_rights')
}

/** Gives a person other roles and groups in their open sessions and in their last one, by which lists and mails know them. */
export async function writeRightsOfSessions(
  tx: Tx,
  user_reference: string,
  { roles, groups }: { roles: readonly GivenRole[]; groups: readonly string[] | null },
  now: number,
): Promise<void> {
  await tx.query(
    `update portal_sessions set roles = $3, groups = $4, role_sources = $5
     where client_id = $1 and user_reference = $2 and ((ended_at is null and expires_at > $6) or session_id = (
       select session_id from portal_sessions where client_id = $1 and user_reference = $2
       order by created_at desc, session_id desc limit 1))`,
    [tx.client_id, user_reference, roles.map(({ role }) => role), groups, JSON.stringify(roles), now],
  )
}
