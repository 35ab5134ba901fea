import type { PayloadSummary } from '@custodia/contract'
import type { House } from '../../house.ts'
import type { Handler, PortalUser } from '../../http/context.ts'
import { placesOf } from '../../http/page.ts'
import { PreparedJson } from '../../http/prepared-json.ts'
import { resolveFilter } from './store/filter.ts'
import type { ListKey } from './store/keys.ts'
import { type Pace, readListPage } from './store/page.ts'
import { readListTotal } from './store/total.ts'
import { withoutContent } from '../without-content.ts'

/** The payloads that the caller may see, newest or oldest first, or their total. */
export function listPayloads(house: Pick<House, 'cursors'>, pace?: Pace): Handler<'listPayloads'> {
  return async ({ caller, readAside }, { query }) => {
    const { client_id } = caller
    const { from, until } = placesOf<ListKey>(house.cursors, { name: 'listPayloads', client_id, query })
    return readAside(async (q) => {
      const filter = await resolveFilter(q, caller.access, 'payloads:list', query, pace?.runs)
      if (query.type === 'total') return filter ? readListTotal(q, filter) : { total: 0 }
      const { rows, next } = filter
        ? await readListPage(q, filter, query.limit, from, pace)
        : { rows: [], next: undefined }
      const { last_key } = until(next)
      const key = last_key === undefined ? '' : `"last_key":"${last_key}",`
      return new PreparedJson(`{"count":${rows.length},${key}"data":[${shown(rows, caller).join(',')}]}`)
    })
  }
}

/** Rows as the caller may see them: notes are content, and what the approved role says of one payload the payload itself tells. */
function shown(rows: readonly string[], { support_reference }: PortalUser): readonly string[] {
  if (support_reference === undefined) return rows
  return rows.map((row) => JSON.stringify(withoutContent(JSON.parse(row) as PayloadSummary)))
}
