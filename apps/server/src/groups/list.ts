import type { House } from '../house.ts'
import type { Handler } from '../http/context.ts'
import { countGroups, findGroups, type GroupScope } from './store.ts'

/** The groups that the caller may see, by name. */
export function listGroups(house: Pick<House, 'cursors'>): Handler<'listGroups'> {
  return async ({ caller, read }, { query }) => {
    const { client_id, access } = caller
    const scope: GroupScope = { client_id, groups: access.groups('groups:list'), search: query.search }
    if (query.type === 'total') return { total: await read((q) => countGroups(q, scope)) }
    const list = `listGroups ${client_id} ${query.search ?? ''}`
    const [after] = query.last_key === undefined ? [] : house.cursors.open(list, query.last_key)
    const rows = await read((q) =>
      findGroups(q, scope, query.limit + 1, after === undefined ? '' : String(after)),
    )
    const data = rows.slice(0, query.limit)
    const last = rows.length > query.limit ? data.at(-1) : undefined
    return {
      count: data.length,
      ...(last ? { last_key: house.cursors.seal(list, [last.group_reference]) } : {}),
      data,
    }
  }
}
