import type { House } from '../house.ts'
import { type Claims, SignInRefused } from '../ports/identity/port.ts'
import { findDefaults } from '../account/store.ts'
import type { Client } from '../clients/store.ts'
import { isServedAlone, issuerOf } from '../identity-providers/store.ts'
import { type Membership, referenceOf } from './store.ts'

/**
 * What a person is in `client`, from the claims of its provider; the account's defaults fill what a token lacks. Throws
 * SignInRefused for a person of another client. Only a provider that serves this client alone need not name it.
 */
export async function membershipOf(
  house: Pick<House, 'db' | 'config' | 'now'>,
  client: Client,
  claims: Claims,
): Promise<Membership> {
  const named = claims.client ?? ((await isServedAlone(house, client)) ? client.client : undefined)
  if (named !== client.client) throw new SignInRefused('a person of another client', claims.user_reference)
  const { subject, user_reference: name, roles, user_group, groups = null, email = null } = claims
  const person = { issuer: issuerOf(house, client), subject, name }
  const user_reference = await referenceOf(house.db, client.client_id, person, house.now())
  if (roles?.length && user_group !== undefined) return { user_reference, roles, user_group, groups, email }
  const defaults = await house.db.read(client.client_id, findDefaults)
  const isDefault = roles === undefined || (roles.length === 0 && defaults?.default_for_empty_roles)
  return {
    user_reference,
    roles: isDefault && defaults?.role ? [defaults.role] : (roles ?? []),
    user_group: user_group ?? defaults?.user_group ?? null,
    groups,
    email,
  }
}
