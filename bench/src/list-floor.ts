/**
 * The floor of the list measurements: node:http and pg with the server's own statements and parameters, and nothing else: no
 * token, no rights, no checks, no audit entry. The groups of the restricted person and the place of a page are part of its address.
 */
import { PayloadQuery } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { resolveFilter } from '../../apps/server/src/payloads/lists/store/filter.ts'
import type { ListKey } from '../../apps/server/src/payloads/lists/store/place.ts'
import { readListPage } from '../../apps/server/src/payloads/lists/store/page.ts'
import { readListTotal } from '../../apps/server/src/payloads/lists/store/total.ts'
import { parseQueryString } from '../../apps/server/src/http/query-string.ts'
import { serveBare } from './bare-server.ts'

serveBare('list-floor', async (q, url) => {
  const after = url.searchParams.get('after')
  const ids = url.searchParams.get('ids')
  url.searchParams.delete('after')
  url.searchParams.delete('ids')
  const groups = ids === null ? ('all' as const) : ids.split('.').map(Number)
  const access = { lanes: () => [{ types: 'all', groups, groupless: false }] } as Partial<Access> as Access
  const query = PayloadQuery.parse(parseQueryString(url.search.slice(1)))
  const filter = await resolveFilter(q, access, 'payloads:list', query)
  if (!filter) return '{"data":[]}'
  if (query.type === 'total') return JSON.stringify(await readListTotal(q, filter))
  const from = after === null ? undefined : (after.split('.').map(Number) as unknown as ListKey)
  const { rows } = await readListPage(q, filter, query.limit, from)
  return `{"data":[${rows.join(',')}]}`
})
