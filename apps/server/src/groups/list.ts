import type { House } from '../house.ts'
import type { Handler } from '../http/context.ts'
import { countGroups, listGroups } from './store.ts'

/** The groups that the caller may see, by reference, or their total. */
export function listGroupsWithinReach(house: Pick<House, 'cursors'>): Handler<'listGroups'> {
  return async (context, { query }) => {
    const { access, client, client_id } = context.caller
    const { search = '', tag_key, tag_value } = query
    const filter = { groups: access.groups('groups:list'), search, tag_key, tag_value }
    if (query.type === 'total')
      return { total: await context.readAside((q) => countGroups(q, client_id, filter)) }
    const list = `groups ${JSON.stringify([client, search, tag_key, tag_value])}`
    const [after = ''] = query.last_key === undefined ? [] : house.cursors.open(list, query.last_key)
    const rows = await context.readAside((q) =>
      listGroups(q, client_id, filter, { after: String(after), limit: query.limit + 1, now: context.now }),
    )
    const data = rows.slice(0, query.limit)
    const last = data.at(-1)
    return {
      count: data.length,
      ...(rows.length > query.limit && last
        ? { last_key: house.cursors.seal(list, [last.group_reference]) }
        : {}),
      data,
    }
  }
}
