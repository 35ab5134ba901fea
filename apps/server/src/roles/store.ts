import type { Role, StoredRole } from '@custodia/contract'
import { systemRolesFor } from '@custodia/domain'
import { clientColumn } from '../clients/store.ts'
import { getVersion } from '../http/etag.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

interface RoleRow {
  client: string
  document: Role
  updated_at: number
  updated_by: string
}

/** A role as answers show it. */
export const storedRole = ({ client, document, updated_at, updated_by }: RoleRow): StoredRole => ({
  client,
  ...document,
  version: getVersion(document),
  updated_at,
  updated_by,
})

const COLUMNS = `${clientColumn('r.client_id')}, r.document, r.updated_at, r.updated_by`

/** The roles that a client made, in order of their references. */
export async function findRoles(q: Queryable): Promise<StoredRole[]> {
  const { rows } = await q.query<RoleRow>(
    `select ${COLUMNS} from roles r where client_id = $1 order by role_reference`,
    [q.client_id],
  )
  return rows.map(storedRole)
}

/** The client's own role, or undefined. Within a change it is locked. */
export async function findRole(q: Queryable, role_reference: string): Promise<StoredRole | undefined> {
  const { rows } = await q.query<RoleRow>(
    `select ${COLUMNS} from roles r where client_id = $1 and role_reference = $2`,
    [q.client_id, role_reference],
  )
  return rows[0] && storedRole(rows[0])
}

/** The roles of the system as lists of a client show them. */
export const systemRoles = (of: { client: string; is_provider: boolean }): StoredRole[] =>
  systemRolesFor(of).map((role) => ({
    client: of.client,
    ...role,
    version: getVersion(role),
    updated_at: null,
    updated_by: null,
  }))

/** Creates or replaces a role. */
export async function writeRole(
  tx: Tx,
  role: Role,
  by: { updated_at: number; updated_by: string },
): Promise<StoredRole> {
  const row = await tx.row<RoleRow>(
    `insert into roles as r (client_id, role_reference, document, updated_at, updated_by) values ($1, $2, $3, $4, $5)
     on conflict (client_id, role_reference) do update
       set document = excluded.document, updated_at = excluded.updated_at, updated_by = excluded.updated_by
     returning ${COLUMNS}`,
    [tx.client_id, role.role_reference, JSON.stringify(role), by.updated_at, by.updated_by],
  )
  if (!row) throw new Error('the role was not stored')
  return storedRole(row)
}

export async function removeRole(tx: Tx, role_reference: string): Promise<void> {
  await tx.query('delete from roles where client_id = $1 and role_reference = $2', [
    tx.client_id,
    role_reference,
  ])
}

/** What names the role, so that it cannot go: the defaults, client apps, requests for support that are pending or approved. */
export function findUsesOfRole(q: Queryable, role_reference: string, now: number): Promise<string[]> {
  return q.column<string>(
    `select 'account defaults' as use from account_defaults where client_id = $1 and role = $2
     union all select 'client app ' || app_reference from client_apps where client_id = $1 and $2 = any(roles)
     union all select 'transfer config ' || transfer_config_reference from transfer_configs where client_id = $1 and role_reference = $2
     union all select 'person ' || user_reference from role_assignments where client_id = $1 and roles @> jsonb_build_array(jsonb_build_object('role', $2::text))
     union all select 'support access ' || request_reference from support_access
       where client_id = $1 and role = $2 and (
         (approval_state = 'pending' and requested_expiry > $3) or (approval_state = 'approved' and approval_expiry > $3))`,
    [q.client_id, role_reference, now],
  )
}
