import type { ClientAccount, ClientIdentity, StoredRole } from '@custodia/contract'
import { raiseAlert } from '../alerts/raise.ts'
import type { House } from '../house.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { findRoles, systemRoles } from '../roles/store.ts'
import { checkClientProvider, saveClientProvider } from '../identity-providers/settings.ts'
import { clientOf } from './client-of.ts'
import { keyBefore, pageByKey } from './page.ts'
import { countClients, type NamedClient, pageOfAccounts, readAccount, removeClientProvider } from './store.ts'

/** What the provider sees and sets of its clients. */
export const clientRoutes = (
  house: House,
): Handlers<'listClients' | 'saveClientIdentity' | 'listRolesOfClient'> => ({
  async listClients(_context, { query: { search = '', type, limit, last_key } }) {
    const filter = { search, with_provider: true }
    if (type === 'total') return { total: await countClients(house.db, filter) }
    const page = { list: `clients ${search}`, limit, last_key }
    const rows = await pageOfAccounts(house.db, filter, keyBefore(house.cursors, page), limit + 1)
    return pageByKey(house.cursors, page, rows, ({ client }) => client)
  },

  async saveClientIdentity(context, { params, body }) {
    const client = await clientOf(house, params.client)
    await saveIdentity(house, context, client, body.identity)
    return accountOf(house, client)
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

/** Whoever names the identity provider of a client decides who its people are: the client is told at once. */
async function saveIdentity(
  house: House,
  context: PortalContext,
  { client_id }: NamedClient,
  identity: ClientIdentity,
): Promise<void> {
  // Outside of the transaction: a stranger's server takes the time it likes.
  const provider = identity === null ? null : await checkClientProvider(house, identity)
  await context.writeFor(client_id, async (tx) => {
    if (provider === null) await removeClientProvider(tx, client_id)
    else await saveClientProvider(house, tx, client_id, provider)
    const user = context.caller.user_reference
    await raiseAlert(tx, {
      client_id,
      alert_scopes: ['sec'],
      alert_targets: ['client'],
      alert_key_type: 'Scoped',
      alert_type: 'AccountAlert',
      alert_key: 'identity-provider',
      ...(provider
        ? { text: 'identity_provider_changed', values: { user, issuer: provider.issuer } }
        : { text: 'identity_provider_removed', values: { user } }),
      alert_severity: 'High',
      api_action: context.action,
      now: context.now,
    })
  })
}

async function accountOf({ db }: House, { client_id }: NamedClient): Promise<ClientAccount> {
  const account = await readAccount(db, client_id)
  if (!account) throw new Problem('not_found', { detail: 'the client is gone' })
  return account
}

/** The roles under which a client’s people work: those of the system and its own, by reference. */
async function rolesOf({ db }: House, { client_id, is_provider }: NamedClient): Promise<StoredRole[]> {
  const own = await db.read(client_id, (q) => findRoles(q, client_id))
  return [...systemRoles({ is_provider }), ...own].sort((a, b) =>
    a.role_reference < b.role_reference ? -1 : 1,
  )
}
