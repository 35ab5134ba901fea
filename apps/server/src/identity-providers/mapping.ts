import { type AccessImpact, type ClaimMapping, type Fault, type StoredClaimMapping } from '@custodia/contract'
import { grantOf } from '@custodia/domain'
import { findAssignments } from '../access/assignment-store.ts'
import { assertPermitted, changerOf } from '../access/assert-permitted.ts'
import { previewImpact, previewGrantImpact } from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import { assertAdministered, type RightsOwner, unknownNames } from '../access/person-rights.ts'
import type { Rights } from '../access/rights.ts'
import { seenGroups } from '../access/visible-groups.ts'
import { findDefaults } from '../account/store.ts'
import { readOwnClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { type Handler, type Handlers, type PortalContext } from '../http/context.ts'
import { assertUnchanged, versionOf } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import type { VerifiedIdentity } from '../ports/identity/port.ts'
import { proposeIfAsked } from '../proposals/propose.ts'
import { basisOfClient, CHANGE } from './change.ts'
import { type Accounts, peopleChanged, rightsUnder } from './people-changed.ts'
import { previewOf } from './preview.ts'
import {
  isEmbedded,
  type KnownClaims,
  lockClientProvider,
  type LockedClient,
  writeClaimMapping,
} from './store.ts'

type Calls = 'readClaimMapping' | 'saveClaimMapping' | 'reviewClaimMapping' | 'previewClaims'

/** Handlers of how the claims of an account's identity provider are read, for the account itself. */
export const claimMappingRoutes = (
  ctx: AppContext,
  book: AccessCache,
  known: KnownClaims,
): Handlers<Calls> => ({
  readClaimMapping: async ({ read }) => storedMapping(ctx, present(await read(readOwnClient))),
  saveClaimMapping: save(ctx, book, known),
  reviewClaimMapping: review(book, known),
  async previewClaims({ read }, { body }) {
    return read(async (q) => previewOf(q, await book.rightsOf(q), present(await readOwnClient(q)), body))
  },
})

/** Replaces the mapping, or proposes it where two people decide. It counts with the next sign-in or renewal. */
function save(ctx: AppContext, book: AccessCache, known: KnownClaims): Handler<'saveClaimMapping'> {
  return async (context, { query, body: claim_mapping }) => {
    const claims = await known.ofCaller(context)
    return context.write(async (tx) => {
      // Before the client's row, as every change of rights.
      const rights = await book.beginChange(tx)
      const before = present(await lockClientProvider(tx))
      assertUnchanged(context, versionOf(before.claim_mapping))
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
      const { oidc_issuer: issuer, oidc_client_id, oidc_phone_client_id } = before
      const proposed = await proposeIfAsked<'ChangeIdentityProvider'>(context, tx, async () => ({
        subject: CHANGE.subject,
        act: {
          kind: CHANGE.kind,
          issuer,
          former_issuer: issuer,
          oidc_client_id,
          oidc_phone_client_id,
          claim_mapping,
        },
        basis: basisOfClient(before),
        reason_id: null,
      }))
      await assertAdministered(tx, rights, { ...before, claim_mapping })
      if (proposed) return proposed
      await writeClaimMapping(tx, claim_mapping)
      return storedMapping(ctx, { ...before, claim_mapping })
    })
  }
}

function review(book: AccessCache, known: KnownClaims): Handler<'reviewClaimMapping'> {
  return async (context, { body }) => {
    const claims = await known.ofCaller(context)
    const { rights, client, accounts, people } = await context.read(async (q) => {
      const own = present(await readOwnClient(q))
      return {
        rights: await book.rightsOf(q),
        client: own,
        accounts: { defaults: await findDefaults(q), assignments: await findAssignments(q) },
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
  const { any_role, roles, assigned_roles } = grantOf(before.claim_mapping, after)
  const assigned = assigned_roles
    ? [...own.assignments.values()].flatMap((each) => each.roles.map(({ role }) => role))
    : []
  const given = any_role ? [...rights.roles.keys()] : [...new Set([...roles, ...assigned])]
  const changer = changerOf(context)
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
): StoredClaimMapping => ({
  client: client.client,
  version: versionOf(client.claim_mapping),
  issuer: client.oidc_issuer ?? config.oidc?.issuer ?? null,
  is_embedded: isEmbedded({ config }, client),
  mapping: client.claim_mapping,
})

function present<T>(client: T | undefined): T {
  if (client === undefined) throw new Problem('not_found', { detail: 'the client is gone' })
  return client
}
