import type { PayloadSummary } from '@custodia/contract'
import { findUser } from '../../device-users/store.ts'
import { findGroupOfDevice } from '../../device-records/store.ts'
import type { AppContext } from '../../app-context.ts'
import { actorOf, type Handler, type PortalContext, type PortalUser } from '../../http/context.ts'
import { placesOf } from '../../http/page.ts'
import { preparedPage } from '../../http/prepared-json.ts'
import { Problem } from '../../http/problem.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { type ListQuery, resolveFilter } from './store/filter.ts'
import type { ListKey } from './store/place.ts'
import { type PageEffort, readListPage } from './store/page.ts'
import { readListTotal } from './store/total.ts'
import { withoutContent } from '../without-content.ts'

type Cursors = Pick<AppContext, 'cursors'>
type Asked = ListQuery & { limit: number; last_key?: string | undefined; type: 'page' | 'total' }

/** The payloads that the caller may see, newest or oldest first, or their total. */
export const listPayloads =
  ({ cursors }: Cursors, effort?: PageEffort): Handler<'listPayloads'> =>
  (context, { query }) =>
    listed(context, { cursors, name: 'listPayloads', action: 'payloads:list', query, effort })

/**
 * The payloads of one device. Problem: not_found, when the caller sees neither the device nor a payload of
 * it.
 */
export const listPayloadsOfDevice =
  ({ cursors }: Cursors): Handler<'listPayloadsOfDevice'> =>
  (context, { params, query }) =>
    listed(context, {
      cursors,
      name: `listPayloadsOfDevice ${params.device_reference}`,
      action: 'devices.payloads:list',
      query: { ...query, ...params },
      subject: (q) => findGroupOfDevice(q, params.device_reference),
    })

/**
 * The payloads of one device user. Problem: not_found, when the caller sees neither the person nor a payload of theirs.
 */
export const listPayloadsOfUser =
  ({ cursors }: Cursors): Handler<'listPayloadsOfUser'> =>
  (context, { params, query }) =>
    listed(context, {
      cursors,
      name: `listPayloadsOfUser ${params.device_user_reference}`,
      action: 'users.payloads:list',
      query: { ...query, ...params },
      subject: (q) => findUser(q, params.device_user_reference),
    })

interface Listed {
  cursors: AppContext['cursors']
  name: string
  /** The action on whose payloads the list is. */
  action: string
  query: Asked
  effort?: PageEffort | undefined
  /** The subject of the list, which may be visible when the list is empty. */
  subject?: (q: Queryable) => Promise<{ group_id: number } | undefined>
}

function listed({ caller, readFromReplica }: PortalContext, list: Listed) {
  const { cursors, name, action, query, effort, subject } = list
  const { client_id } = caller
  const { from, until } = placesOf<ListKey>(cursors, { name, client_id, query })
  return readFromReplica(async (q) => {
    const filter = await resolveFilter(
      q,
      caller.access,
      action,
      { ...query, reader: actorOf(caller) },
      effort?.runs,
    )
    const assertKnown = async () => {
      const about = await subject?.(q)
      if (subject && !(about && caller.access.permits(action, about)))
        throw new Problem('not_found', { detail: 'neither it nor a payload of it is in reach' })
    }
    if (query.type === 'total') {
      const total = filter ? await readListTotal(q, filter) : { total: 0 }
      if (total.total === 0) await assertKnown()
      return total
    }
    const { rows, next } = filter
      ? await readListPage(q, filter, query.limit, from, effort)
      : { rows: [], next: undefined }
    if (rows.length === 0 && !from && !next) await assertKnown()
    return preparedPage<PayloadSummary>(shown(rows, caller), until(next).last_key)
  })
}

/**
 * Rows as the caller may see them: notes are content, and in support mode only the payload itself shows them.
 */
function shown(rows: readonly string[], { support_reference }: PortalUser): readonly string[] {
  if (support_reference === undefined) return rows
  return rows.map((row) => JSON.stringify(withoutContent(JSON.parse(row) as PayloadSummary)))
}
