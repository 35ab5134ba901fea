import { applyMapping } from '@custodia/domain'
import type { House } from '../house.ts'
import { readClaims } from '../ports/identity/claims.ts'
import { SignInRefused, type Voucher } from '../ports/identity/port.ts'
import { findDefaults } from '../account/store.ts'
import type { Client } from '../clients/store.ts'
import { isServedAlone, issuerOf } from '../identity-providers/store.ts'
import { type Membership, referenceOf } from './store.ts'

/**
 * What a person is in `client`, from the claims of its provider by the client's mapping; the account's defaults fill what a token lacks.
 * Throws SignInRefused for malformed claims and for a person of another client. Only a provider that serves this client alone need not name it.
 */
export async function membershipOf(
  house: Pick<House, 'db' | 'config' | 'now'>,
  client: Client,
  payload: Voucher['claims'],
): Promise<Membership> {
  const claims = readClaims(payload, client.claim_mapping)
  const named = claims.client ?? ((await isServedAlone(house, client)) ? client.client : undefined)
  if (named !== client.client) throw new SignInRefused('a person of another client', claims.user_reference)
  const { subject, user_reference: name, email = null, display_name = null } = claims
  const person = { issuer: issuerOf(house, client), subject, name }
  const user_reference = await referenceOf(house.db, client.client_id, person, house.now())
  const defaults = await house.db.read(client.client_id, findDefaults)
  const { roles, groups, user_group } = applyMapping(client.claim_mapping, claims, defaults)
  return {
    user_reference,
    roles: roles.map(({ role }) => role),
    role_sources: roles,
    user_group,
    groups,
    email,
    display_name,
  }
}
