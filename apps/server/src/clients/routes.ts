import type { StoredRole } from '@custodia/contract'
import type { House } from '../house.ts'
import type { Handlers } from '../http/context.ts'
import { findRoles, systemRoles } from '../roles/store.ts'
import { keyBefore, pageByKey } from '../http/page.ts'
import { type Client, clientOf, countClients, pageOfAccounts } from './store.ts'

/** What the provider sees of its clients. */
export const clientRoutes = (house: House): Handlers<'listClients' | 'listRolesOfClient'> => ({
  async listClients(_context, { query: { search = '', type, limit, last_key } }) {
    const filter = { search, with_provider: true }
    if (type === 'total') return { total: await countClients(house.db, filter) }
    const page = { list: `clients ${search}`, limit, last_key }
    const rows = await pageOfAccounts(house.db, filter, keyBefore(house.cursors, page), limit + 1)
    return pageByKey(house.cursors, page, rows, ({ client }) => client)
  },

  async listRolesOfClient(_context, { params, query: { type, limit, last_key } }) {
    const client = await clientOf(house, params.client)
    const roles = await rolesOf(house, client)
    if (type === 'total') return { total: roles.length }
    const page = { list: `roles of ${client.client}`, limit, last_key }
    const after = keyBefore(house.cursors, page)
    const rest = roles.filter(({ role_reference }) => role_reference > after)
    return pageByKey(house.cursors, page, rest, ({ role_reference }) => role_reference)
  },
})

/** The roles under which a client’s people work: those of the system and its own, by reference. */
async function rolesOf({ db }: House, { client_id, is_provider }: Client): Promise<StoredRole[]> {
  const own = await db.read(client_id, (q) => findRoles(q, client_id))
  return [...systemRoles({ is_provider }), ...own].sort((a, b) =>
    a.role_reference < b.role_reference ? -1 : 1,
  )
}
