import type { RoleAssignment } from '@custodia/contract'
import { systemRolesFor } from '@custodia/domain'
import { findAssignment, shareRights, temporaryRights } from '../access/assignment-store.ts'
import { isFirstAdministrator, rightsOfPerson } from '../access/person-rights.ts'
import { findDefaults } from '../account/store.ts'
import type { AppContext } from '../app-context.ts'
import type { Client } from '../clients/store.ts'
import { getVersion } from '../http/etag.ts'
import { isServedAlone, getIssuer } from '../identity-providers/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { readPortalClaims } from '../ports/identity/claims.ts'
import { type Claims, SignInRefused, type VerifiedIdentity } from '../ports/identity/port.ts'
import { findRoles } from '../roles/store.ts'
import { findReference, type Membership, ensureReference } from './store.ts'

type Parts = Pick<AppContext, 'db' | 'config' | 'now'>

/**
 * Writes a person's membership in `client`, from the provider's claims by the client's mapping and from their
 * assignment; the account's defaults fill gaps. `prepare` may run again if an assignment changes meanwhile. Throws
 * SignInRefused for malformed claims and for a person of another client.
 */
export async function writeMembership<T>(
  ctx: Parts,
  client: Client,
  payload: VerifiedIdentity['claims'],
  prepare: (membership: Membership) => Promise<(tx: Tx) => Promise<T>>,
): Promise<T> {
  const person = await identify(ctx, client, payload)
  const { user_reference } = person
  for (;;) {
    const membership = await ctx.db.read(client.client_id, (q) => getMembership(q, client, person, ctx.now()))
    const write = await prepare(membership)
    const written = await ctx.db.write(client.client_id, async (tx) => {
      await shareRights(tx)
      if (versionOfAssignment(await findAssignment(tx, user_reference)) !== membership.assignment_version)
        return CHANGED
      return write(tx)
    })
    if (written !== CHANGED) return written
  }
}

/** The assignment is another one than the membership was made of. */
const CHANGED = Symbol('changed')

/** Version of what a person is assigned. */
export const versionOfAssignment = (assignment: RoleAssignment | undefined): string =>
  getVersion(assignment ?? null)

/** Who a person is in a client, and the values of their claims. */
interface IdentifiedPerson {
  user_reference: string
  claims: Claims
}

/**
 * A provider need not name the client if it serves only this one. The operator's setting names the client of the first
 * administrator.
 */
async function identify(
  ctx: Parts,
  client: Client,
  payload: VerifiedIdentity['claims'],
): Promise<IdentifiedPerson> {
  const claims = readPortalClaims(payload, client.claim_mapping)
  const named = claims.client ?? ((await isServedAlone(ctx, client)) ? client.client : undefined)
  const person = { issuer: getIssuer(ctx, client), subject: claims.subject, name: claims.user_reference }
  // After a change of the mapping the claims may name the person otherwise than when they came first.
  const known =
    named === undefined
      ? ((await ctx.db.read(client.client_id, (q) => findReference(q, person))) ?? person.name)
      : undefined
  const mayBeFirst = known !== undefined && isFirstAdministrator(client, known)
  const isMember = named === client.client
  if (!isMember && !mayBeFirst) throw otherClient(claims)
  const user_reference = await ensureReference(ctx.db, client.client_id, person, ctx.now())
  // Another person may have the same name at the provider.
  if (!isMember && !isFirstAdministrator(client, user_reference)) throw otherClient(claims)
  return { user_reference, claims }
}

async function getMembership(
  q: Queryable,
  client: Client,
  { user_reference, claims }: IdentifiedPerson,
  now: number,
): Promise<Membership & { assignment_version: string }> {
  const { email = null, display_name = null } = claims
  const assigned = await findAssignment(q, user_reference)
  const known = isFirstAdministrator(client, user_reference)
    ? [...systemRolesFor(client), ...(await findRoles(q))]
    : []
  const claimed = rightsOfPerson(
    client,
    { user_reference, values: claims, assigned },
    {
      defaults: await findDefaults(q),
      exists: (role) => known.some(({ role_reference }) => role_reference === role),
    },
  )
  const temporary = temporaryRights(assigned, now)
  const { roles, groups, user_group } = { ...claimed, ...temporary }
  return {
    user_reference,
    roles: roles.map(({ role }) => role),
    role_sources: roles,
    user_group,
    groups,
    email,
    display_name,
    ends_at: temporary && roles.length > 0 ? (assigned?.ends_at ?? null) : null,
    assignment_version: versionOfAssignment(assigned),
  }
}

const otherClient = ({ user_reference }: Claims): SignInRefused =>
  new SignInRefused('a person of another client', user_reference)
