/**
 * The floors of the list measurements: node:http and pg with the server's own statements and parameters, and nothing else: no
 * token, no checks, no audit entry. The address holds the role of the person and the place of the page. `/by-hand` is
 * independent of the server: one join without rights.
 */
import { PayloadQuery } from '@custodia/contract'
import { parseQueryString } from '../../../apps/server/src/http/query-string.ts'
import { resolveFilter } from '../../../apps/server/src/payloads/lists/store/filter.ts'
import { readListPage } from '../../../apps/server/src/payloads/lists/store/page.ts'
import type { ListKey } from '../../../apps/server/src/payloads/lists/store/place.ts'
import { readListTotal } from '../../../apps/server/src/payloads/lists/store/total.ts'
import type { Queryable } from '../../../apps/server/src/ports/database/lease.ts'
import { accessOfRole, serveBare } from './server.ts'

const BY_HAND = `select p.payload_reference, p.type, p.state, p.payload_time, v.device_reference, v.model as device_model,
    u.device_user_reference, u.first_name, u.surname, g.group_reference as "group", p.is_late, p.is_legacy, p.uploaded_at, p.processed_at,
    p.updated_at, p.failure, o.list_doc
  from payloads p join devices v using (device_id) join groups g on g.group_id = p.group_id
  left join device_users u on u.device_user_id = p.device_user_id left join payload_documents o on o.payload_id = p.payload_id
  where p.client_id = $1 and p.service = 1 and p.state not in (9, 10)
  order by p.payload_time desc, p.payload_id desc limit 50`

async function readByHand(q: Queryable): Promise<string> {
  const { rows } = await q.query<{ list_doc: string }>(BY_HAND, [q.client_id])
  const data = rows.map(({ list_doc, ...row }) => ({ ...row, ...(JSON.parse(list_doc) as object) }))
  return JSON.stringify({ count: data.length, data })
}

serveBare('list-floor', async (q, url) => {
  if (url.pathname === '/by-hand') return readByHand(q)
  const after = url.searchParams.get('after')
  const access = await accessOfRole(q, url.searchParams.get('role') ?? '')
  url.searchParams.delete('after')
  url.searchParams.delete('role')
  const query = PayloadQuery.parse(parseQueryString(url.search.slice(1)))
  const filter = await resolveFilter(q, access, 'payloads:list', query)
  if (!filter) return '{"data":[]}'
  if (query.type === 'total') return JSON.stringify(await readListTotal(q, filter))
  const from = after === null ? undefined : (after.split('.').map(Number) as unknown as ListKey)
  const { rows } = await readListPage(q, filter, query.limit, from)
  return `{"data":[${rows.join(',')}]}`
})
