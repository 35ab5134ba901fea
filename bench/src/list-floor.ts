/**
 * The floor of the list measurements: node:http and pg with the server's own statements and parameters, and nothing else: no
 * token, no rights, no checks, no audit entry. The groups of the restricted person and the place of a page are part of its address.
 */
import { createServer } from 'node:http'
import { PayloadQuery } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import pg from 'pg'
import { resolveFilter } from '../../apps/server/src/payloads/lists/store/filter.ts'
import type { ListKey } from '../../apps/server/src/payloads/lists/store/keys.ts'
import { readListPage } from '../../apps/server/src/payloads/lists/store/page.ts'
import { readListTotal } from '../../apps/server/src/payloads/lists/store/total.ts'
import type { Queryable } from '../../apps/server/src/ports/database/lease.ts'
import { parseQueryString } from '../../apps/server/src/http/query-string.ts'

const { PORT, DATABASE_URL, CLIENT_ID } = process.env
const client_id = Number(CLIENT_ID)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, application_name: 'list-floor' })
pool.on('connect', (client) => {
  void client.query(`set role custodia_app; set custodia.client_id = '${client_id}'`)
})

createServer(async (request, response) => {
  const url = new URL(request.url ?? '', 'http://floor')
  const after = url.searchParams.get('after')
  const ids = url.searchParams.get('ids')
  url.searchParams.delete('after')
  url.searchParams.delete('ids')
  const groups = ids === null ? ('all' as const) : ids.split('.').map(Number)
  const access = { lanes: () => [{ types: 'all', groups, groupless: false }] } as Partial<Access> as Access
  const query = PayloadQuery.parse(parseQueryString(url.search.slice(1)))
  const client = await pool.connect()
  try {
    const q = {
      client_id,
      query: (text: string, values: unknown[] = [], name?: string) =>
        client.query({ text, values, ...(name ? { name } : {}) }),
    } as unknown as Queryable
    const filter = await resolveFilter(q, access, 'payloads:list', query)
    let text: string
    if (!filter) text = '{"data":[]}'
    else if (query.type === 'total') text = JSON.stringify(await readListTotal(q, filter))
    else {
      const from = after === null ? undefined : (after.split('.').map(Number) as unknown as ListKey)
      const { rows } = await readListPage(q, filter, query.limit, from)
      text = `{"data":[${rows.join(',')}]}`
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  } catch (error) {
    response.writeHead(500).end(String(error))
  } finally {
    client.release()
  }
}).listen(Number(PORT), '127.0.0.1')
