import type { StoredRole } from '@custodia/contract'
import type { House } from '../house.ts'
import type { Handler } from '../http/context.ts'
import { pageByName } from '../http/page.ts'
import { countRoles, findRoles, type RoleFilter, systemRoles } from './store.ts'

/** The roles of the client: its own and those of the system, by reference. */
export function listRoles(house: Pick<House, 'cursors'>): Handler<'listRoles'> {
  return async (context, { query }) => {
    const { caller } = context
    const { search = '', is_system, is_alertable } = query
    const filter = { search, is_alertable }
    const ofSystem = is_system === false ? [] : systemRoles(caller).filter((role) => passes(role, filter))
    if (query.type === 'total') {
      const own = is_system === true ? 0 : await context.read((q) => countRoles(q, filter))
      return { total: ofSystem.length + own }
    }
    return pageByName(
      house.cursors,
      { name: 'roles', client_id: caller.client_id, query },
      async (after, limit) => {
        const own =
          is_system === true ? [] : await context.read((q) => findRoles(q, filter, { after, limit }))
        return [...ofSystem.filter((role) => byBytes(role.role_reference, after) > 0), ...own].toSorted(
          (a, b) => byBytes(a.role_reference, b.role_reference),
        )
      },
      ({ role_reference }) => role_reference,
    )
  }
}

const passes = (role: StoredRole, { search, is_alertable }: RoleFilter): boolean =>
  [role.role_reference, role.description ?? ''].some((text) =>
    text.toLowerCase().includes(search.toLowerCase()),
  ) &&
  (is_alertable === undefined || role.is_alertable === is_alertable)

/** The database's order of references. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
