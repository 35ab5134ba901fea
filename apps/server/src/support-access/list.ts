import type { Page, SupportAccess, Total } from '@custodia/contract'
import type { House } from '../house.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { countSupportAccess, listSupportAccess, type SupportFilter } from './store.ts'

interface PageQuery {
  limit: number
  last_key?: string | undefined
  type: 'page' | 'total'
}

/** A page of requests, newest first, or their total. */
export async function pageOfSupportAccess(
  house: Pick<House, 'cursors'>,
  q: Queryable,
  filter: SupportFilter,
  query: PageQuery,
): Promise<Page<SupportAccess> | Total> {
  if (query.type === 'total') return { total: await countSupportAccess(q, filter) }
  const list = `supportaccess ${JSON.stringify([filter.client_id, filter.states?.toSorted() ?? null])}`
  const after = query.last_key === undefined ? undefined : house.cursors.open(list, query.last_key)
  // One more than the page holds tells whether there is a next one.
  const rows = await listSupportAccess(q, filter, after, query.limit + 1)
  const data = rows.slice(0, query.limit)
  const last = rows.length > data.length ? data.at(-1) : undefined
  return {
    count: data.length,
    ...(last ? { last_key: house.cursors.seal(list, [last.requested_at, last.request_reference]) } : {}),
    data,
  }
}
