import type { House } from '../house.ts'
import type { Handlers } from '../http/context.ts'
import { countGroups, listGroups } from './store.ts'

/** The groups that the caller may see. */
export const groupRoutes = (house: House): Handlers<'listGroups'> => ({
  async listGroups(context, { query }) {
    const { access, client } = context.caller
    const filter = { groups: access.groups('groups:list'), search: query.search ?? '' }
    if (query.type === 'total') return { total: await context.read((q) => countGroups(q, filter)) }
    const list = `groups ${client} ${filter.search}`
    const [after = ''] = query.last_key === undefined ? [] : house.cursors.open(list, query.last_key)
    const rows = await context.read((q) => listGroups(q, filter, String(after), query.limit + 1))
    const data = rows.slice(0, query.limit)
    const last = data.at(-1)
    return {
      count: data.length,
      ...(rows.length > query.limit && last
        ? { last_key: house.cursors.seal(list, [last.group_reference]) }
        : {}),
      data,
    }
  },
})
