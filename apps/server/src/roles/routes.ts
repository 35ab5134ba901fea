import { SYSTEM_ROLES } from '@custodia/domain'
import type { House } from '../house.ts'
import type { Handlers } from '../http/context.ts'
import { findRoles } from './store.ts'

/** The roles of the client: its own and those of the system, by reference. */
export const roleRoutes = (house: House): Handlers<'listRoles'> => ({
  async listRoles(context, { query }) {
    const own = await context.read((q) => findRoles(q, context.caller.client_id))
    const all = [...SYSTEM_ROLES, ...own].sort((a, b) => (a.role_reference < b.role_reference ? -1 : 1))
    if (query.type === 'total') return { total: all.length }
    const list = `roles ${context.caller.client}`
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
  },
})
