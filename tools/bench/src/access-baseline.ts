/**
 * The floor of the access measurements: node:http and pg with the server's own statement for the list of groups and a page of roles by
 * key, and nothing else: no token, no rights, no checks, no audit entry. It reads the groups of the restricted person once.
 */
import { PAGE_DEFAULT } from '@custodia/contract'
import { listGroups } from '../../../apps/server/src/groups/store.ts'
import type { Queryable } from '../../../apps/server/src/ports/database/lease.ts'
import { storedRole } from '../../../apps/server/src/roles/store.ts'
import { RESTRICTED_GROUPS } from './access-rights.ts'
import { serveBare } from './server.ts'

const page = { after: '', limit: PAGE_DEFAULT + 1 }
let restricted: Promise<number[]> | undefined

serveBare('access-floor', async (q, url) => {
  const filter = { search: url.searchParams.get('search') ?? '' }
  const rows =
    url.pathname === '/roles'
      ? await readRoles(q)
      : await listGroups(
          q,
          {
            ...filter,
            groups: url.searchParams.has('restricted') ? await (restricted ??= readRestricted(q)) : 'all',
          },
          { ...page, now: Math.floor(Date.now() / 1000) },
        )
  return JSON.stringify({ data: rows.slice(0, PAGE_DEFAULT) })
})

/** The server takes roles from the rights that it keeps in memory; the floor keeps none and reads them. */
async function readRoles(q: Queryable) {
  const { rows } = await q.query<Parameters<typeof storedRole>[0]>(
    `select (select client from clients c where c.client_id = r.client_id) as client, document, updated_at, updated_by
     from roles r where client_id = $1 and role_reference > $2 order by role_reference limit $3`,
    [q.client_id, page.after, page.limit],
  )
  return rows.map(storedRole)
}

function readRestricted(q: Queryable): Promise<number[]> {
  return q.column<number>(`select group_id from groups where ${RESTRICTED_GROUPS} order by group_id`)
}
