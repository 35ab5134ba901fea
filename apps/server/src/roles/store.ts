import type { Role } from '@custodia/contract'
import type { Queryable } from '../ports/database/lease.ts'

/** The roles that a client made, by name. */
export async function findRoles(q: Queryable, client_id: number): Promise<Role[]> {
  const { rows } = await q.query<{ document: Role }>(
    'select document from roles where client_id = $1 order by role_reference',
    [client_id],
    'roles_list',
  )
  return rows.map((row) => row.document)
}
