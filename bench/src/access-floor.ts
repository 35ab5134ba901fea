/**
 * The floor of the access measurements: node:http and pg with the server's own statements for the lists of groups and roles, and
 * nothing else: no token, no rights, no checks, no audit entry. The groups of the restricted person are read once.
 */
import { PAGE_DEFAULT } from '@custodia/contract'
import { listGroups } from '../../apps/server/src/groups/store.ts'
import type { Queryable } from '../../apps/server/src/ports/database/lease.ts'
import { findRoles } from '../../apps/server/src/roles/store.ts'
import { RESTRICTED_GROUPS } from './access-world.ts'
import { serveBare } from './bare-server.ts'

const page = { after: '', limit: PAGE_DEFAULT + 1 }
let restricted: Promise<number[]> | undefined

serveBare('access-floor', async (q, url) => {
  const filter = { search: url.searchParams.get('search') ?? '' }
  const rows =
    url.pathname === '/roles'
      ? await findRoles(q, filter, page)
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

async function readRestricted(q: Queryable): Promise<number[]> {
  const { rows } = await q.query<{ group_id: number }>(
    `select group_id from groups where ${RESTRICTED_GROUPS} order by group_id`,
  )
  return rows.map((row) => row.group_id)
}
