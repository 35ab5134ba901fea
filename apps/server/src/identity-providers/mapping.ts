import {
  type AccessImpact,
  type ClaimMapping,
  type Fault,
  fault,
  type StoredClaimMapping,
} from '@custodia/contract'
import { applyMapping, type ClaimDefaults, grantOf } from '@custodia/domain'
import { assertPermitted, changerOf } from '../access/assert-permitted.ts'
import { previewImpact, previewGrantImpact } from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import type { Rights } from '../access/rights.ts'
import { seenGroups } from '../access/visible-groups.ts'
import { findDefaults } from '../account/store.ts'
import { readOwnClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { type Handler, type Handlers, type PortalContext } from '../http/context.ts'
import { assertUnchanged, versionOf } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { readClaims } from '../ports/identity/claims.ts'
import { SignInRefused, type VerifiedIdentity } from '../ports/identity/port.ts'
import { proposeIfAsked } from '../proposals/propose.ts'
import { basisOfClient, CHANGE } from './change.ts'
import { previewOf } from './preview.ts'
import { isEmbedded, lockClientProvider, type LockedClient, writeClaimMapping } from './store.ts'

type Calls = 'readClaimMapping' | 'saveClaimMapping' | 'reviewClaimMapping' | 'previewClaims'

/** Resolves to the claims of the caller's own token; undefined where it is not kept. */
type OwnClaims = (context: PortalContext) => Promise<VerifiedIdentity['claims'] | undefined>

/** Handlers of how the claims of an account's identity provider are read, for the account itself. */
export const claimMappingRoutes = (
  ctx: AppContext,
  book: AccessCache,
  ownClaims: OwnClaims,
): Handlers<Calls> => ({
  readClaimMapping: async ({ read }) => storedMapping(ctx, present(await read(readOwnClient))),
  saveClaimMapping: save(ctx, book, ownClaims),
  reviewClaimMapping: review(book, ownClaims),
  async previewClaims({ read }, { body }) {
    return read(async (q) => previewOf(q, await book.rightsOf(q), present(await readOwnClient(q)), body))
  },
})

/** Replaces the mapping, or proposes it where two people decide. It counts with the next sign-in or renewal. */
function save(ctx: AppContext, book: AccessCache, ownClaims: OwnClaims): Handler<'saveClaimMapping'> {
  return async (context, { query, body: claim_mapping }) => {
    const own = await ownClaims(context)
    return context.write(async (tx) => {
      // Before the client's row, as every change of rights.
      const rights = await book.beginChange(tx)
      const before = present(await lockClientProvider(tx))
      assertUnchanged(context, versionOf(before.claim_mapping))
      const { problems, impact } = validateMapping(context, rights, before.claim_mapping, claim_mapping, {
        claims: own,
        defaults: await findDefaults(tx),
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
      if (proposed) return proposed
      await writeClaimMapping(tx, claim_mapping)
      return storedMapping(ctx, { ...before, claim_mapping })
    })
  }
}

function review(book: AccessCache, ownClaims: OwnClaims): Handler<'reviewClaimMapping'> {
  return async (context, { body }) => {
    const claims = await ownClaims(context)
    const { rights, client, defaults } = await context.read(async (q) => ({
      rights: await book.rightsOf(q),
      client: present(await readOwnClient(q)),
      defaults: await findDefaults(q),
    }))
    const { problems, impact } = validateMapping(context, rights, client.claim_mapping, body, {
      claims,
      defaults,
    })
    return { problems, warnings: [], impact: seenGroups(context.caller, rights).narrowToSeen(impact) }
  }
}

/** What saving a mapping would mean; the review shows it and the save is held against it. */
function validateMapping(
  context: PortalContext,
  rights: Rights,
  before: ClaimMapping,
  after: ClaimMapping,
  own: Own,
): { problems: Fault[]; impact: AccessImpact } {
  const { any_role, roles } = grantOf(before, after)
  const given = any_role ? [...rights.roles.keys()] : roles
  const changer = changerOf(context)
  const impact = previewGrantImpact(rights, changer, { roles: given })
  const roles_after = rolesUnder(after, own)
  const keepsOwn =
    roles_after === 'unknown' ||
    (roles_after !== 'none' &&
      !previewImpact(rights, { ...rights, touched: new Set() }, changer, { undo: UNDO, roles_after })
        .locks_out)
  return { problems: unknownNames(rights, after), impact: { ...impact, locks_out: !keepsOwn } }
}

/** Actions with which a change of the mapping can be undone. */
const UNDO = ['account.identity:update']

/** What the provider says of the caller, and the account's defaults. */
interface Own {
  claims: VerifiedIdentity['claims'] | undefined
  defaults: ClaimDefaults | undefined
}

/** The caller's roles under a mapping: `none` where they could not sign in, `unknown` where their claims are not known. */
function rolesUnder(mapping: ClaimMapping, { claims, defaults }: Own): string[] | 'none' | 'unknown' {
  if (claims === undefined) return 'unknown'
  try {
    const { roles } = applyMapping(mapping, readClaims(claims, mapping), defaults)
    return roles.map(({ role }) => role)
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    return 'none'
  }
}

/** Roles and groups of rules that the client does not have. */
function unknownNames(rights: Rights, { rules }: ClaimMapping): Fault[] {
  const groups = new Set(
    rights.groupIndex.groups.flatMap((each) => (each.is_reserved ? [] : [each.group_reference])),
  )
  const unknown = (path: string, names: readonly string[], isKnown: (name: string) => boolean) =>
    names.flatMap((value, i) =>
      isKnown(value) ? [] : [fault(`${path}.${i}`, 'unknown_reference', { value })],
    )
  return rules.flatMap((rule, i) => [
    ...unknown(`rules.${i}.roles`, rule.roles, (name) => rights.roles.has(name)),
    ...unknown(`rules.${i}.groups`, rule.groups, (name) => groups.has(name)),
  ])
}

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
