import type { Page, SupportAccess, Total } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { pageOf } from '../http/page.ts'
import type { GlobalQueryable } from '../ports/database/lease.ts'
import { countSupportAccess, listSupportAccess, type SupportFilter } from './store.ts'

interface PageQuery {
  limit: number
  last_key?: string | undefined
  type: 'page' | 'total'
}

/** A page of requests, newest first, or their total. */
export async function pageOfSupportAccess(
  ctx: Pick<AppContext, 'cursors'>,
  q: GlobalQueryable,
  filter: SupportFilter,
  { limit, last_key, type }: PageQuery,
): Promise<Page<SupportAccess> | Total> {
  if (type === 'total') return { total: await countSupportAccess(q, filter) }
  const query = { limit, last_key, states: filter.states?.toSorted() }
  return pageOf(
    ctx.cursors,
    { name: 'supportaccess', client_id: filter.client_id ?? 'all', query },
    (from: readonly [number, string] | undefined, most) => listSupportAccess(q, filter, from, most),
    ({ requested_at, request_reference }) => [requested_at, request_reference] as const,
  )
}
