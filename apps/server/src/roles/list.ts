import { SYSTEM_ROLES } from '@custodia/domain'
import type { House } from '../house.ts'
import type { Handler } from '../http/context.ts'
import { findRoles } from './store.ts'

/** The roles of the client, by name: its own and those that every client has. They are few, so pages are cut here. */
export function listRoles(house: Pick<House, 'cursors'>): Handler<'listRoles'> {
  return async ({ caller, read }, { query }) => {
    const { client_id } = caller
    const all = [...SYSTEM_ROLES, ...(await read((q) => findRoles(q, client_id)))].toSorted((a, b) =>
      a.role_reference < b.role_reference ? -1 : 1,
    )
    if (query.type === 'total') return { total: all.length }
    const list = `listRoles ${client_id}`
    const [after = ''] = query.last_key === undefined ? [] : house.cursors.open(list, query.last_key)
    const behind = all.filter((role) => role.role_reference > String(after))
    const data = behind.slice(0, query.limit)
    const last = behind.length > query.limit ? data.at(-1) : undefined
    return {
      count: data.length,
      ...(last ? { last_key: house.cursors.seal(list, [last.role_reference]) } : {}),
      data,
    }
  }
}
