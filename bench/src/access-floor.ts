/**
 * The floor of the access measurements: node:http and pg with the server's own statements for the lists of groups and roles, and
 * nothing else: no token, no rights, no checks, no audit entry. The groups of the restricted person are read once.
 */
import { createServer } from 'node:http'
import { PAGE_DEFAULT } from '@custodia/contract'
import pg from 'pg'
import { listGroups } from '../../apps/server/src/groups/store.ts'
import type { Queryable } from '../../apps/server/src/ports/database/lease.ts'
import { findRoles } from '../../apps/server/src/roles/store.ts'
import { RESTRICTED_GROUPS } from './access-world.ts'

const { PORT, DATABASE_URL, CLIENT_ID } = process.env
const client_id = Number(CLIENT_ID)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, application_name: 'access-floor' })
pool.on('connect', (client) => {
  void client.query(`set role custodia_app; set custodia.client_id = '${client_id}'`)
})
const restricted = await pool.query<{ group_id: number }>(
  `select group_id from groups where ${RESTRICTED_GROUPS} order by group_id`,
)
const ids = restricted.rows.map((row) => row.group_id)
const page = { after: '', limit: PAGE_DEFAULT + 1 }

createServer(async (request, response) => {
  const url = new URL(request.url ?? '', 'http://floor')
  const client = await pool.connect()
  try {
    const q = {
      client_id,
      query: (text: string, values: unknown[] = [], name?: string) =>
        client.query({ text, values, ...(name ? { name } : {}) }),
    } as unknown as Queryable
    const filter = { search: url.searchParams.get('search') ?? '' }
    const groups = url.searchParams.has('restricted') ? ids : ('all' as const)
    const rows =
      url.pathname === '/roles'
        ? await findRoles(q, filter, page)
        : await listGroups(q, { ...filter, groups }, { ...page, now: Math.floor(Date.now() / 1000) })
    const text = JSON.stringify({ data: rows.slice(0, PAGE_DEFAULT) })
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  } catch (error) {
    response.writeHead(500).end(String(error))
  } finally {
    client.release()
  }
}).listen(Number(PORT), '127.0.0.1')
