import type { House } from '../house.ts'
import type { Handler } from '../http/context.ts'
import { assertGroupless } from '../access/assert-permitted.ts'
import { findRoles, systemRoles } from './store.ts'

/** The roles of the client: its own and those of the system, by reference. */
export function listRoles(house: Pick<House, 'cursors'>): Handler<'listRoles'> {
  return async (context, { query }) => {
    assertGroupless(context, 'roles:list')
    const { caller } = context
    const { search = '', is_system, is_alertable } = query
    const own = await context.read((q) => findRoles(q, caller.client_id))
    const needle = search.toLowerCase()
    const all = [...systemRoles(caller), ...own]
      .filter(
        (role) =>
          role.role_reference.toLowerCase().includes(needle) &&
          (is_system === undefined || role.is_system === is_system) &&
          (is_alertable === undefined || role.is_alertable === is_alertable),
      )
      .sort((a, b) => (a.role_reference < b.role_reference ? -1 : 1))
    if (query.type === 'total') return { total: all.length }
    const list = `roles ${JSON.stringify([caller.client, search, is_system, is_alertable])}`
    const [after = ''] = query.last_key === undefined ? [] : house.cursors.open(list, query.last_key)
    const rest = all.filter((role) => role.role_reference > String(after))
    const data = rest.slice(0, query.limit)
    const last = data.at(-1)
    return {
      count: data.length,
      ...(rest.length > data.length && last
        ? { last_key: house.cursors.seal(list, [last.role_reference]) }
        : {}),
      data,
    }
  }
}
