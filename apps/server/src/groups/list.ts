import type { AppContext } from '../app-context.ts'
import type { Handler } from '../http/context.ts'
import { pageByName } from '../http/page.ts'
import { countGroups, listGroups } from './store.ts'

/** The groups that the caller may see, by reference, or their total. */
export function listGroupsWithinReach(ctx: Pick<AppContext, 'cursors'>): Handler<'listGroups'> {
  return async (context, { query }) => {
    const { access, client_id } = context.caller
    const { search = '', tag_key, tag_value } = query
    const filter = { groups: access.groups('groups:list'), search, tag_key, tag_value }
    if (query.type === 'total') return { total: await context.readFromReplica((q) => countGroups(q, filter)) }
    const now = context.now
    return pageByName(
      ctx.cursors,
      { name: 'groups', client_id, query },
      (after, limit) => context.readFromReplica((q) => listGroups(q, filter, { after, limit, now })),
      ({ group_reference }) => group_reference,
    )
  }
}
