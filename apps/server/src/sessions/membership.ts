import type { House } from '../house.ts'
import { type Claims, SignInRefused } from '../ports/identity/port.ts'
import { findDefaults } from '../account/store.ts'
import type { Client } from '../clients/store.ts'
import { isServedAlone, issuerOf } from '../identity-providers/store.ts'
import { isFirstAdministrator, rolesInPlaceOf } from './first-administrator.ts'
import { type Membership, referenceOf } from './store.ts'

/**
 * What a person is in `client`, from the claims of its provider; the account's defaults fill what a token lacks. Throws
 * SignInRefused for a person of another client. A provider need not name the client where it serves this one alone, nor of the first
 * administrator, named by the operator.
 */
export async function membershipOf(
  house: Pick<House, 'db' | 'config' | 'now'>,
  client: Client,
  claims: Claims,
): Promise<Membership> {
  const named = claims.client ?? ((await isServedAlone(house, client)) ? client.client : undefined)
  const mayBeFirst = named === undefined && isFirstAdministrator(client, claims.user_reference)
  const isMember = named === client.client
  if (!isMember && !mayBeFirst) throw otherClient(claims)
  const { subject, user_reference: name, roles, user_group, groups = null, email = null } = claims
  const person = { issuer: issuerOf(house, client), subject, name }
  const user_reference = await referenceOf(house.db, client.client_id, person, house.now())
  // Another person may have the same name at the provider.
  if (!isMember && !isFirstAdministrator(client, user_reference)) throw otherClient(claims)
  const instead = await rolesInPlaceOf(roles ?? [], house, client, user_reference)
  if (!instead && roles?.length && user_group !== undefined)
    return { user_reference, roles, user_group, groups, email }
  const defaults = await house.db.read(client.client_id, findDefaults)
  const isDefault = roles === undefined || (roles.length === 0 && defaults?.default_for_empty_roles)
  return {
    user_reference,
    roles: instead ?? (isDefault && defaults?.role ? [defaults.role] : (roles ?? [])),
    user_group: user_group ?? defaults?.user_group ?? null,
    groups,
    email,
  }
}

const otherClient = ({ user_reference }: Claims): SignInRefused =>
  new SignInRefused('a person of another client', user_reference)
