import type { StoredRole } from '@custodia/contract'
import type { House } from '../house.ts'
import type { Handlers } from '../http/context.ts'
import { pageByName } from '../http/page.ts'
import { findRoles, systemRoles } from '../roles/store.ts'
import { type Client, clientOf, countClients, pageOfAccounts } from './store.ts'

/** What the provider sees of its clients. */
export const clientRoutes = (house: House): Handlers<'listClients' | 'listRolesOfClient'> => ({
  async listClients(_context, { query }) {
    const filter = { search: query.search ?? '', with_provider: true }
    if (query.type === 'total') return { total: await countClients(house.db, filter) }
    return pageByName(
      house.cursors,
      { name: 'clients', client_id: 'all', query },
      (after, limit) => pageOfAccounts(house.db, filter, after, limit),
      ({ client }) => client,
    )
  },

  async listRolesOfClient(_context, { params, query }) {
    const client = await clientOf(house, params.client)
    const roles = await rolesOf(house, client)
    if (query.type === 'total') return { total: roles.length }
    return pageByName(
      house.cursors,
      { name: 'roles of a client', client_id: client.client_id, query },
      async (after) => roles.filter(({ role_reference }) => role_reference > after),
      ({ role_reference }) => role_reference,
    )
  },
})

/** The roles under which a client’s people work: those of the system and its own, by reference. */
async function rolesOf({ db }: House, { client_id, client, is_provider }: Client): Promise<StoredRole[]> {
  const own = await db.read(client_id, findRoles)
  return [...systemRoles({ client, is_provider }), ...own].sort((a, b) =>
    a.role_reference < b.role_reference ? -1 : 1,
  )
}
