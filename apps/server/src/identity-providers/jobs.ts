import {
  type AlertTextCode,
  type ClaimMapping,
  PROPOSAL_ACTIONS,
  type RoleAssignment,
} from '@custodia/contract'
import { getGrant } from '@custodia/domain'
import { findAssignments } from '../access/assignment-store.ts'
import { mayGrantRoles } from '../access/impact.ts'
import type { AccessCache } from '../access/load.ts'
import { assertAdministered } from '../access/person-rights.ts'
import type { Rights } from '../access/rights.ts'
import { raiseAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { marked } from '../http/context.ts'
import { getVersion } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { periodicJob } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import { embeddedIssuer } from '../ports/identity/embedded.ts'
import { carryOutFor } from '../proposals/end.ts'
import { type Basis, type DeferredAct, lockProposal } from '../proposals/store.ts'
import { findRoles } from '../roles/store.ts'
import { secretAt } from './settings.ts'
import {
  findDueChanges,
  findProviderWithin,
  getIssuer,
  lockClientProvider,
  type LockedClient,
  lockWaitingChange,
  removeClientProvider,
  writeClaimMapping,
  writeClientProvider,
} from './store.ts'

type Parts = Pick<AppContext, 'audit' | 'config'>
type Change = DeferredAct<'ChangeIdentityProvider'>

/** Of a client one change waits at a time. */
export const CHANGE = { kind: 'ChangeIdentityProvider', subject: '' } as const

/** The actor in logs when a change has no caller. */
const BY = marked('identity', 'system')

/** Locks where the client's people sign in. */
async function lockBasis(tx: Tx, mapping: ClaimMapping | undefined): Promise<Basis | undefined> {
  const present = await lockClientProvider(tx)
  return present && basisOfClient(tx, present, mapping)
}

/**
 * The current provider of a client, and what the roles that a proposed mapping names permit: a role that changed
 * meanwhile is not given unseen.
 */
export async function basisOfClient(
  tx: Tx,
  present: LockedClient,
  mapping: ClaimMapping | undefined,
): Promise<Basis> {
  const named = new Set(mapping?.rules.flatMap(({ roles }) => roles))
  const roles = (await findRoles(tx)).filter(({ role_reference }) => named.has(role_reference))
  return {
    issuer: present.oidc_issuer ?? '',
    oidc_client_id: present.oidc_client_id ?? '',
    oidc_device_client_id: present.oidc_device_client_id ?? '',
    claim_mapping: getVersion(present.claim_mapping),
    roles: getVersion(roles),
  }
}

/** Roles that people may have by a claim mapping, and did not have by the one before it. */
export function rolesGiven(
  rights: Rights,
  before: ClaimMapping,
  after: ClaimMapping,
  assignments: ReadonlyMap<string, RoleAssignment>,
): string[] {
  const { any_role, roles, assigned_roles } = getGrant(before, after)
  if (any_role) return [...rights.roles.keys()]
  const assigned = assigned_roles ? [...assignments.values()].flatMap((each) => each.roles) : []
  return [...new Set([...roles, ...assigned.map(({ role }) => role)])]
}

/** A change of a client's identity provider, once it was confirmed or its time has come: on record in the client's log and the provider's. */
const identityChange = (ctx: Parts): Change => ({
  getBasis: (tx, { claim_mapping }) => lockBasis(tx, claim_mapping),
  async carryOut(tx, { issuer, oidc_client_id, oidc_device_client_id, claim_mapping }, as) {
    const present = await lockClientProvider(tx)
    if (!present) throw new Problem('not_found', { detail: 'no such client' })
    if (issuer === null || oidc_client_id === null) await removeClientProvider(tx)
    else
      await writeClientProvider(tx, {
        oidc_issuer: issuer,
        oidc_client_id,
        oidc_device_client_id,
        oidc_client_secret: secretAt(issuer, present, openSealed(as.sealed)),
      })
    if (claim_mapping) await writeClaimMapping(tx, claim_mapping, { updated_at: as.now, updated_by: as.by })
    const isSameProvider = issuer === present.oidc_issuer && oidc_client_id === present.oidc_client_id
    const text = isSameProvider ? 'claim_mapping_changed' : 'identity_provider_changed'
    await raiseChange(ctx, tx, text, { ...as, issuer, now: as.now })
    const facts = {
      client: present.client,
      issuer: getAddress(ctx, issuer),
      proposed_by: as.by,
      confirmed_by: as.confirmed_by,
    }
    const logs = new Set([tx.client_id, (await findProviderWithin(tx)) ?? tx.client_id])
    for (const client_id of logs)
      await ctx.audit.appendWithin(
        tx,
        systemEntry({ client_id }, { at: as.now, by: BY }, 'identity:change', facts),
      )
  },
})

/**
 * Like `identityChange`, for the client's person who confirms it. Problems: not_permitted, unless they signed in
 * through the client's current provider; last_administrator.
 */
export function confirmedChange(ctx: Parts, book: AccessCache, issuer: string | null | undefined): Change {
  const change = identityChange(ctx)
  return {
    ...change,
    async getBasis(tx, { claim_mapping }) {
      const present = await lockClientProvider(tx)
      if (present && issuer !== getIssuer(ctx, present))
        throw new Problem('not_permitted', { detail: 'not signed in through the present identity provider' })
      return lockBasis(tx, claim_mapping)
    },
    async mayGrant(rights, proposer, { claim_mapping }, tx) {
      const present = await lockClientProvider(tx)
      if (!present || !claim_mapping) return true
      const roles = rolesGiven(rights, present.claim_mapping, claim_mapping, await findAssignments(tx))
      return mayGrantRoles(rights, proposer, { roles, groups: null })
    },
    async carryOut(tx, act, as) {
      await change.carryOut(tx, act, as)
      const after = await lockClientProvider(tx)
      if (after) await assertAdministered(tx, await book.getRights(tx), after)
    },
  }
}

/**
 * Alerts a client to a change of its identity provider. With `only_issuer` only people of that issuer may clear the
 * alert.
 */
export async function raiseChange(
  { config }: Pick<AppContext, 'config'>,
  tx: Tx,
  text: AlertTextCode & (`identity_provider_${string}` | 'claim_mapping_changed'),
  change: {
    proposal_id: string
    issuer: string | null
    by: string
    confirmed_by: string
    only_issuer?: string
    now: number
  },
): Promise<void> {
  const { proposal_id, issuer, by, confirmed_by, only_issuer, now } = change
  await raiseAlert(tx, {
    alert_type: 'AccountAlert',
    alert_scopes: ['sec'],
    alert_key: `identity provider ${proposal_id}`,
    alert_severity: 'High',
    text,
    values: { user: by, confirmed_by, issuer: getAddress({ config }, issuer) },
    related_entities: [{ entity_id: proposal_id, entity_type: 'Proposal' }],
    api_action: PROPOSAL_ACTIONS.ChangeIdentityProvider,
    ...(only_issuer !== undefined && { only_issuer }),
    now,
  })
}

/** The address of a provider; null: that of the installation. */
const getAddress = ({ config }: Pick<AppContext, 'config'>, issuer: string | null): string =>
  issuer ?? config.oidc?.issuer ?? embeddedIssuer(config.publicUrl)

/** A proposal stores a sealed secret like keys, so that key rotation wraps both again. */
const openSealed = (sealed: Readonly<Record<string, string | null>> | null): Buffer | undefined =>
  sealed?.wrapped_key ? Buffer.from(sealed.wrapped_key, 'base64') : undefined

/** Carries out the changes of clients that cannot sign in, once they had their time to stop them. */
export const changeIdentityProviders = periodicJob({
  name: 'identity-providers.change',
  every: 60,
  async run(ctx) {
    for (const { client_id } of await findDueChanges(ctx.db)) await carryOutDueChange(ctx, client_id)
  },
})

async function carryOutDueChange(ctx: AppContext, client_id: number): Promise<void> {
  const act = identityChange(ctx)
  await ctx.db.write(client_id, async (tx) => {
    await lockClientProvider(tx)
    const change = await lockWaitingChange(tx)
    const proposal = change && (await lockProposal(tx, change.proposal_id))
    // Rejected or withdrawn meanwhile.
    if (proposal?.state !== 'waiting' || proposal.act.kind !== 'ChangeIdentityProvider') return
    const { seconded_by, takes_effect_at } = change ?? {}
    if (!seconded_by || !takes_effect_at || takes_effect_at > proposal.now) return
    const basis = await lockBasis(tx, proposal.act.claim_mapping)
    await carryOutFor(tx, { ...proposal, act: proposal.act }, act, { basis, by: seconded_by })
  })
}
