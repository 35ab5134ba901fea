import type { ClientIdentity } from '@custodia/contract'
import { raiseAlert } from '../alerts/raise.ts'
import { type Client, clientOf, readAccount } from '../clients/store.ts'
import type { House } from '../house.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { checkClientProvider, saveClientProvider } from './settings.ts'
import { removeClientProvider } from './store.ts'

/** Where the provider lets a client's people sign in. */
export const identityProviderRoutes = (house: House): Handlers<'saveClientIdentity'> => ({
  async saveClientIdentity(context, { params, body }) {
    const client = await clientOf(house, params.client)
    await saveIdentity(house, context, client, body.identity)
    const account = await readAccount(house.db, client.client_id)
    if (!account) throw new Problem('not_found', { detail: 'the client is gone' })
    return account
  },
})

/** Whoever names the identity provider of a client decides who its people are: the client is told at once. */
async function saveIdentity(
  house: House,
  context: PortalContext,
  { client_id }: Client,
  identity: ClientIdentity,
): Promise<void> {
  // Outside of the transaction: a stranger's server takes the time it likes.
  const provider = identity === null ? null : await checkClientProvider(house, identity)
  await context.writeFor(client_id, async (tx) => {
    if (provider === null) await removeClientProvider(tx)
    else await saveClientProvider(house, tx, provider)
    const user = context.caller.user_reference
    await raiseAlert(tx, {
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
