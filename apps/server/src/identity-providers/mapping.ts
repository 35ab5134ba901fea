import {
  type AccessImpact,
  type ClaimMapping,
  type ClaimPreview,
  type Fault,
  fault,
  PARSE_OPTIONS,
  type PersonChange,
  type RoleAssignment,
  type StoredClaimMapping,
} from '@custodia/contract'
import type { ClaimDefaults, ClaimedRights } from '@custodia/domain'
import { decodeJwt } from 'jose'
import * as z from 'zod/mini'
import { findAssignment, findAssignments } from '../access/assignment-store.ts'
import { assertPermitted, getChanger, previewGrantImpact, previewImpact } from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import {
  accessAnywhere,
  assertAdministered,
  rightsOfPerson,
  type RightsOwner,
  unknownNames,
} from '../access/person-rights.ts'
import type { Rights } from '../access/rights.ts'
import { seenGroups } from '../access/visible-groups.ts'
import { findDefaults } from '../account/store.ts'
import type { AppContext } from '../app-context.ts'
import { type Client, readOwnClient } from '../clients/store.ts'
import { getActor, type Handler, type Handlers, type PortalContext } from '../http/context.ts'
import { assertUnchanged, getVersion } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import type { Queryable } from '../ports/database/lease.ts'
import { readPortalClaims } from '../ports/identity/claims.ts'
import { SignInRefused, type VerifiedIdentity } from '../ports/identity/port.ts'
import { proposeIfAsked } from '../proposals/propose.ts'
import { basisOfClient, CHANGE, rolesGiven } from './jobs.ts'
import {
  findMappingChange,
  isEmbedded,
  type KnownClaims,
  lockClientProvider,
  type LockedClient,
  type MappingChange,
  writeClaimMapping,
} from './store.ts'

const Payload = z.looseObject({ sub: z.string() })

/**
 * Previews the person of an id token, or of its claims as JSON, under a mapping, with their rights. Signature, times
 * and audience are not checked, so that an old or a test token suffices. Problem: invalid_input.
 */
export async function getPreview(
  q: Queryable,
  rights: Rights,
  client: Pick<Client, 'client' | 'is_provider' | 'first_administrator'>,
  { token, mapping }: { token: string; mapping: ClaimMapping },
): Promise<ClaimPreview> {
  const payload = getPayload(token)
  const defaults = await findDefaults(q)
  try {
    const claims = readPortalClaims(payload, mapping)
    if (claims.client !== undefined && claims.client !== client.client)
      return { refusal: 'a person of another client', person: null }
    const { user_reference } = claims
    const { roles, groups, user_group, unused } = rightsOfPerson(
      { ...client, claim_mapping: mapping },
      { user_reference, values: claims, assigned: await findAssignment(q, user_reference) },
      { defaults, exists: (role) => rights.roles.has(role) },
    )
    return {
      refusal: null,
      person: {
        user_reference,
        display_name: claims.display_name ?? null,
        email: claims.email ?? null,
        user_group,
        roles: roles.map((each) => ({ ...each, exists: rights.roles.has(each.role) })),
        groups,
        unused,
        actions: accessAnywhere(rights, roles, groups).actions(),
      },
    }
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    return { refusal: error.message, person: null }
  }
}

function getPayload(token: string): z.output<typeof Payload> {
  const parsed = Payload.safeParse(decoded(token.trim()), PARSE_OPTIONS)
  if (!parsed.success) throw new Problem('invalid_input', { faults: [fault('token', 'not_a_token')] })
  return parsed.data
}

function decoded(token: string): unknown {
  try {
    return token.startsWith('{') ? JSON.parse(token) : decodeJwt(token)
  } catch {
    return undefined
  }
}

/** What the account gives where claims do not, and what people are assigned. */
interface Accounts {
  defaults: ClaimDefaults | undefined
  assignments: ReadonlyMap<string, RoleAssignment>
}

/** A person's rights in a client: `none` where they could not sign in, `unknown` where they depend on claims that are not known. */
function rightsUnder(
  client: RightsOwner,
  rights: Rights,
  person: Accounts & { user_reference: string; claims: VerifiedIdentity['claims'] | undefined },
): ClaimedRights | 'none' | 'unknown' {
  const { user_reference, claims, assignments, defaults } = person
  const { claim_mapping } = client
  if (claims === undefined && claim_mapping.roles_from === 'claims') return 'unknown'
  try {
    const values = claims ? readPortalClaims(claims, claim_mapping) : {}
    const subject = { user_reference, values, assigned: assignments.get(user_reference) }
    return rightsOfPerson(client, subject, { defaults, exists: (role) => rights.roles.has(role) })
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    return 'none'
  }
}

/** Who has other roles or groups where roles are decided elsewhere from now on. Under claims a person has those of their last session. Temporary access stays. */
function peopleChanged(
  before: RightsOwner,
  claim_mapping: ClaimMapping,
  rights: Rights,
  { people, others }: Awaited<ReturnType<KnownClaims['ofPeople']>>,
  accounts: Accounts & { temporary: ReadonlyMap<string, unknown> },
): { changes: PersonChange[]; unknown: number } {
  const after = { ...before, claim_mapping }
  const seen = new Set(people.map(({ user_reference }) => user_reference))
  const neverHere = [...accounts.assignments.keys()]
    .filter((user_reference) => others === 0 && !seen.has(user_reference))
    .map((user_reference) => ({ ...NOTHING, user_reference, display_name: null, claims: undefined }))
  const changes: PersonChange[] = []
  let unknown = others
  for (const person of [...people, ...neverHere]) {
    if (accounts.temporary.has(person.user_reference)) continue
    const known = { ...person, ...accounts }
    const was =
      before.claim_mapping.roles_from === 'claims' ? person : given(rightsUnder(before, rights, known))
    const is = given(rightsUnder(after, rights, known))
    if (was === undefined || is === undefined) {
      unknown++
      continue
    }
    const change = {
      user_reference: person.user_reference,
      display_name: person.display_name,
      roles_gained: is.roles.filter((role) => !was.roles.includes(role)),
      roles_lost: was.roles.filter((role) => !is.roles.includes(role)),
      groups_before: was.groups,
      groups_after: is.groups,
    }
    const isMoved =
      is.roles.length > 0 && JSON.stringify(was.groups?.toSorted()) !== JSON.stringify(is.groups?.toSorted())
    if (isMoved || change.roles_gained.length > 0 || change.roles_lost.length > 0) changes.push(change)
  }
  return { changes, unknown }
}

const NOTHING: { roles: string[]; groups: string[] | null } = { roles: [], groups: [] }

/** Roles and groups by name; undefined where they are not known. */
function given(rights: ReturnType<typeof rightsUnder>): typeof NOTHING | undefined {
  if (rights === 'unknown') return undefined
  return rights === 'none' ? NOTHING : { roles: rights.roles.map(({ role }) => role), groups: rights.groups }
}

type Calls = 'readClaimMapping' | 'saveClaimMapping' | 'reviewClaimMapping' | 'previewClaims'

/** Handlers of how the claims of an account's identity provider are read, for the account itself. */
export const claimMappingRoutes = (
  ctx: AppContext,
  book: AccessCache,
  known: KnownClaims,
): Handlers<Calls> => ({
  readClaimMapping: ({ read }) =>
    read(async (q) => storedMapping(ctx, present(await readOwnClient(q)), await findMappingChange(q))),
  saveClaimMapping: save(ctx, book, known),
  reviewClaimMapping: review(book, known),
  async previewClaims({ read }, { body }) {
    return read(async (q) => getPreview(q, await book.getRights(q), present(await readOwnClient(q)), body))
  },
})

/** Replaces the mapping, or proposes it where two people decide. It counts with the next sign-in or renewal. */
function save(ctx: AppContext, book: AccessCache, known: KnownClaims): Handler<'saveClaimMapping'> {
  return async (context, { query, body: claim_mapping }) => {
    const claims = await known.ofCaller(context)
    return context.write(async (tx) => {
      // Before the client's row, as every change of rights.
      const rights = await book.beginChange(tx, context)
      const before = present(await lockClientProvider(tx))
      assertUnchanged(context, getVersion(before.claim_mapping))
      const { problems, impact } = validateMapping(context, rights, before, claim_mapping, {
        claims,
        defaults: await findDefaults(tx),
        assignments: await findAssignments(tx),
      })
      if (problems.length > 0) throw new Problem('invalid_input', { faults: problems.slice(0, 100) })
      await assertPermitted(context, tx, impact, {
        what: { text: 'escalated_by_mapping', name: before.oidc_issuer ?? before.client },
        confirm_lockout: query.confirm_lockout,
      })
      const { oidc_issuer: issuer, oidc_client_id, oidc_device_client_id } = before
      const proposed = await proposeIfAsked<'ChangeIdentityProvider'>(context, tx, async () => ({
        subject: CHANGE.subject,
        act: {
          kind: CHANGE.kind,
          issuer,
          former_issuer: issuer,
          oidc_client_id,
          oidc_device_client_id,
          claim_mapping,
        },
        basis: await basisOfClient(tx, before, claim_mapping),
        reason_id: null,
      }))
      await assertAdministered(tx, rights, { ...before, claim_mapping })
      if (proposed) return proposed
      const change = { updated_at: context.now, updated_by: getActor(context.caller) }
      await writeClaimMapping(tx, claim_mapping, change)
      return storedMapping(ctx, { ...before, claim_mapping }, change)
    })
  }
}

function review(book: AccessCache, known: KnownClaims): Handler<'reviewClaimMapping'> {
  return async (context, { body }) => {
    const claims = await known.ofCaller(context)
    const { rights, client, accounts, people } = await context.read(async (q) => {
      const own = present(await readOwnClient(q))
      return {
        rights: await book.getRights(q),
        client: own,
        accounts: {
          defaults: await findDefaults(q),
          assignments: await findAssignments(q),
          temporary: await findAssignments(q, { isTemporary: true }),
        },
        people: own.claim_mapping.roles_from === body.roles_from ? null : await known.ofPeople(q),
      }
    })
    const { problems, impact } = validateMapping(context, rights, client, body, { claims, ...accounts })
    return {
      problems,
      warnings: [],
      impact: seenGroups(context.caller, rights).narrowToSeen(impact),
      people: people && peopleChanged(client, body, rights, people, accounts),
    }
  }
}

/** What saving a mapping would mean; the review shows it and the save is held against it. */
function validateMapping(
  context: PortalContext,
  rights: Rights,
  before: RightsOwner,
  after: ClaimMapping,
  own: Accounts & { claims: VerifiedIdentity['claims'] | undefined },
): { problems: Fault[]; impact: AccessImpact } {
  const given = rolesGiven(rights, before.claim_mapping, after, own.assignments)
  const changer = getChanger(context)
  const impact = previewGrantImpact(rights, changer, { roles: given })
  const { user_reference } = context.caller
  const then = rightsUnder({ ...before, claim_mapping: after }, rights, { user_reference, ...own })
  const keepsOwn =
    then === 'unknown' ||
    (then !== 'none' &&
      !previewImpact(rights, { ...rights, touched: new Set() }, changer, {
        undo: UNDO,
        roles_after: then.roles.map(({ role }) => role),
      }).locks_out)
  const problems = after.rules.flatMap((rule, i) => unknownNames(rights, `rules.${i}.`, rule))
  return { problems, impact: { ...impact, locks_out: !keepsOwn } }
}

/** Actions with which a change of the mapping can be undone. */
const UNDO = ['account.identity:update']

const storedMapping = (
  { config }: AppContext,
  client: Pick<LockedClient, 'client' | 'oidc_issuer' | 'claim_mapping'>,
  change: MappingChange,
): StoredClaimMapping => ({
  client: client.client,
  version: getVersion(client.claim_mapping),
  ...change,
  issuer: client.oidc_issuer ?? config.oidc?.issuer ?? null,
  is_embedded: isEmbedded({ config }, client),
  mapping: client.claim_mapping,
})

function present<T>(client: T | undefined): T {
  if (client === undefined) throw new Problem('not_found', { detail: 'the client is gone' })
  return client
}
