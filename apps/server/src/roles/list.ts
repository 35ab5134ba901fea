import type { StoredRole } from '@custodia/contract'
import type { AccessCache } from '../access/load.ts'
import type { Rights } from '../access/rights.ts'
import type { AppContext } from '../app-context.ts'
import type { Handler, PortalUser } from '../http/context.ts'
import { pageByName } from '../http/page.ts'
import { lastingText, preparedPage } from '../http/prepared-json.ts'
import { storedRole, systemRoles } from './store.ts'

/**
 * The roles of the client: its own and those of the system, by reference. Every request has the client's rights at hand, as of this very
 * request, and with them the roles that they were compiled from: nothing is read again.
 */
export function listRoles(ctx: Pick<AppContext, 'cursors'>, book: AccessCache): Handler<'listRoles'> {
  return async ({ caller }, { query }) => {
    const rights = await book.presentRights(caller)
    const roles = chosen(rolesIn(rights, caller), query)
    if (query.type === 'total') return { total: roles.length }
    const { data, last_key } = await pageByName(
      ctx.cursors,
      { name: 'roles', client_id: caller.client_id, query },
      async (after, limit) => {
        const from = roles.findIndex(({ role_reference }) => byBytes(role_reference, after) > 0)
        return from < 0 ? [] : roles.slice(from, from + limit)
      },
      ({ role_reference }) => role_reference,
    )
    return preparedPage<StoredRole>(data.map(lastingText), last_key)
  }
}

const listed = new WeakMap<Rights['source'], readonly StoredRole[]>()

/** All roles of the client that somebody works in, by reference; made once per change of its rights. */
export function rolesIn({ source }: Rights, { client }: Pick<PortalUser, 'client'>): readonly StoredRole[] {
  const known = listed.get(source)
  if (known) return known
  const own = source.roles.flatMap((document) => {
    const change = source.role_changes.get(document.role_reference)
    return change ? [storedRole({ client, document, ...change })] : []
  })
  const all = [...systemRoles({ client, is_provider: source.is_provider }), ...own].toSorted((a, b) =>
    byBytes(a.role_reference, b.role_reference),
  )
  listed.set(source, all)
  return all
}

interface RoleFilter {
  /** Part of the reference or the description, in any case. */
  search?: string | undefined
  is_system?: boolean | undefined
  is_alertable?: boolean | undefined
}

function chosen(roles: readonly StoredRole[], { search, is_system, is_alertable }: RoleFilter) {
  const part = search?.toLowerCase()
  return roles.filter(
    (role) =>
      (is_system === undefined || role.is_system === is_system) &&
      (is_alertable === undefined || role.is_alertable === is_alertable) &&
      (part === undefined ||
        role.role_reference.toLowerCase().includes(part) ||
        (role.description ?? '').toLowerCase().includes(part)),
  )
}

/** The database's order of references. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
