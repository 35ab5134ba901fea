/**
 * The floor of the list measurements: node:http and pg with the server's own statements and parameters, and nothing else: no
 * token, no checks, no audit entry. The address holds the role of the person and the place of the page.
 */
import { PayloadQuery } from '@custodia/contract'
import { resolveFilter } from '../../../apps/server/src/payloads/lists/store/filter.ts'
import type { ListKey } from '../../../apps/server/src/payloads/lists/store/place.ts'
import { readListPage } from '../../../apps/server/src/payloads/lists/store/page.ts'
import { readListTotal } from '../../../apps/server/src/payloads/lists/store/total.ts'
import { parseQueryString } from '../../../apps/server/src/http/query-string.ts'
import { accessOfRole, serveBare } from './server.ts'

serveBare('list-floor', async (q, url) => {
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
