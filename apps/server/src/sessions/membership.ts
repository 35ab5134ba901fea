import type { GivenRole } from '@custodia/contract'
import { applyMapping } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { readClaims } from '../ports/identity/claims.ts'
import { type Claims, SignInRefused, type VerifiedIdentity } from '../ports/identity/port.ts'
import { findDefaults } from '../account/store.ts'
import type { Client } from '../clients/store.ts'
import { isServedAlone, issuerOf } from '../identity-providers/store.ts'
import { isFirstAdministrator, rolesInPlaceOf } from './first-administrator.ts'
import { findReference, type Membership, referenceOf } from './store.ts'

/**
 * What a person is in `client`, from the claims of its provider by the client's mapping; the account's defaults fill what a token lacks.
 * Throws SignInRefused for malformed claims and for a person of another client. A provider need not name the client where it serves this one
 * alone, nor of the first administrator, named by the operator.
 */
export async function membershipOf(
  ctx: Pick<AppContext, 'db' | 'config' | 'now'>,
  client: Client,
  payload: VerifiedIdentity['claims'],
): Promise<Membership> {
  const claims = readClaims(payload, client.claim_mapping)
  const named = claims.client ?? ((await isServedAlone(ctx, client)) ? client.client : undefined)
  const { subject, user_reference: name, email = null, display_name = null } = claims
  const person = { issuer: issuerOf(ctx, client), subject, name }
  // After a change of the mapping the claims may name the person otherwise than when they came first.
  const known =
    named === undefined
      ? ((await ctx.db.read(client.client_id, (q) => findReference(q, person))) ?? name)
      : undefined
  const mayBeFirst = known !== undefined && isFirstAdministrator(client, known)
  const isMember = named === client.client
  if (!isMember && !mayBeFirst) throw otherClient(claims)
  const user_reference = await referenceOf(ctx.db, client.client_id, person, ctx.now())
  // Another person may have the same name at the provider.
  if (!isMember && !isFirstAdministrator(client, user_reference)) throw otherClient(claims)
  const defaults = await ctx.db.read(client.client_id, findDefaults)
  const { roles, groups, user_group } = applyMapping(client.claim_mapping, claims, defaults)
  const claimed = roles.flatMap(({ role, source }) => (source === 'default' ? [] : [role]))
  const instead = await rolesInPlaceOf(claimed, ctx, client, user_reference)
  const given: GivenRole[] =
    instead?.map((role) => ({ role, source: 'first_administrator', value: null })) ?? roles
  return {
    user_reference,
    roles: given.map(({ role }) => role),
    role_sources: given,
    user_group,
    groups,
    email,
    display_name,
  }
}

const otherClient = ({ user_reference }: Claims): SignInRefused =>
  new SignInRefused('a person of another client', user_reference)
