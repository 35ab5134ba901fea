import {
  type ClaimMapping,
  type ClientAccount,
  IDENTITY_DELAY_SECONDS,
  type ProposalAnswer,
} from '@custodia/contract'
import type { AccessCache } from '../access/load.ts'
import { raiseAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { type Client, getClient, identityVersion, readAccount } from '../clients/store.ts'
import { getActor, type Handlers, marked, type PortalContext } from '../http/context.ts'
import { assertUnchanged, getVersion } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { supersede, writeProposal } from '../proposals/propose.ts'
import { basisOfClient, CHANGE, raiseChange } from './jobs.ts'
import { getPreview } from './mapping.ts'
import { type CheckedProvider, checkClientProvider, saveClientProvider, sealSecret } from './settings.ts'
import {
  insertChange,
  getIssuer,
  lockClientProvider,
  type LockedClient,
  lockWaitingChange,
  secondChange,
} from './store.ts'

/**
 * Handlers for the provider's staff. A client confirms each change, because the identity provider decides who its
 * users are.
 */
export const identityProviderRoutes = (
  ctx: AppContext,
  book: AccessCache,
): Handlers<
  'saveClientIdentity' | 'secondClientIdentity' | 'withdrawClientIdentity' | 'previewClaimsOfClient'
> => ({
  async saveClientIdentity(context, { params, body }) {
    const client = await getClient(ctx, params.client)
    // Outside of the transaction: a stranger's server takes the time it likes.
    const provider = body.identity === null ? null : await checkClientProvider(ctx, body.identity)
    const proposed = await context.writeFor(client.client_id, (tx) =>
      save(ctx, context, tx, { provider, claim_mapping: body.claim_mapping }),
    )
    return proposed ?? getAccount(ctx, client)
  },

  async secondClientIdentity(context, { params, body }) {
    const client = await getClient(ctx, params.client)
    await context.writeFor(client.client_id, async (tx) => {
      const present = await lockClientProvider(tx)
      const change = await lockWaitingChange(tx)
      if (!present || change?.proposal_id !== body.proposal_id)
        throw new Problem('not_found', { detail: 'no such change waits' })
      const by = getStaff(context, present)
      if (change.proposed_by === by) throw new Problem('same_person')
      if (change.seconded_by !== null || change.expires_at - change.now <= IDENTITY_DELAY_SECONDS)
        throw new Problem('wrong_state')
      await secondChange(tx, change.proposal_id, by)
      await raiseChange(ctx, tx, 'identity_provider_change_seconded', {
        proposal_id: change.proposal_id,
        issuer: change.issuer,
        by: change.proposed_by,
        confirmed_by: by,
        only_issuer: getIssuer(ctx, present),
        now: context.now,
      })
    })
    return getAccount(ctx, client)
  },

  async withdrawClientIdentity(context, { params }) {
    const client = await getClient(ctx, params.client)
    await context.writeFor(client.client_id, async (tx) => {
      const present = await lockClientProvider(tx)
      if (present) await supersede(tx, CHANGE, getStaff(context, present))
    })
    return getAccount(ctx, client)
  },

  async previewClaimsOfClient(_context, { params, body }) {
    const client = await getClient(ctx, params.client)
    return ctx.db.read(client.client_id, async (q) => getPreview(q, await book.getRights(q), client, body))
  },
})

/** Proposes a provider, or saves at once what changes no person: another secret for the same issuer and client ids. */
async function save(
  ctx: AppContext,
  context: PortalContext,
  tx: Tx,
  { provider, claim_mapping }: { provider: CheckedProvider | null; claim_mapping: ClaimMapping | undefined },
): Promise<ProposalAnswer | undefined> {
  const present = await lockClientProvider(tx)
  if (!present) throw new Problem('not_found', { detail: 'the client is gone' })
  const waiting = await lockWaitingChange(tx)
  assertUnchanged(context, identityVersion(present, waiting?.proposal_id))
  const by = getStaff(context, present)
  await supersede(tx, CHANGE, by)
  const wanted = {
    issuer: provider?.issuer ?? null,
    oidc_client_id: provider?.oidc_client_id ?? null,
    oidc_device_client_id: provider?.oidc_device_client_id ?? null,
  }
  const isMappingSame =
    claim_mapping === undefined || getVersion(claim_mapping) === getVersion(present.claim_mapping)
  if (
    isMappingSame &&
    wanted.issuer === present.oidc_issuer &&
    wanted.oidc_client_id === present.oidc_client_id &&
    wanted.oidc_device_client_id === present.oidc_device_client_id
  ) {
    if (provider && provider.client_secret !== undefined) await replaceSecret(ctx, context, tx, provider, by)
    return undefined
  }
  const sealed = provider && (await sealSecret(ctx.keys, present.client, provider))
  const proposed = await writeProposal(
    tx,
    {
      subject: CHANGE.subject,
      act: {
        kind: CHANGE.kind,
        ...wanted,
        former_issuer: present.oidc_issuer,
        ...(!isMappingSame && { claim_mapping }),
      },
      basis: await basisOfClient(tx, present, isMappingSame ? undefined : claim_mapping),
      by,
      reason_id: null,
      ...(sealed && { sealed: { wrapped_key: sealed.toString('base64') } }),
    },
    context.now,
  )
  if (!proposed) throw new Error('a change waits although what waited was ended')
  await insertChange(tx, proposed, { ...wanted, proposed_by: by })
  void context.reply.code(202)
  return proposed
}

async function replaceSecret(
  ctx: AppContext,
  context: PortalContext,
  tx: Tx,
  provider: CheckedProvider,
  by: string,
): Promise<void> {
  await saveClientProvider(ctx, tx, provider)
  await raiseAlert(tx, {
    alert_scopes: ['sec'],
    alert_type: 'AccountAlert',
    alert_key: 'identity-secret',
    text: 'identity_secret_changed',
    values: { user: by, issuer: provider.issuer },
    alert_severity: 'High',
    api_action: context.action,
    now: context.now,
  })
}

/** How a client's records call a member of staff; in the provider's own client they are its people. */
const getStaff = ({ caller }: PortalContext, { is_provider }: LockedClient): string =>
  is_provider ? getActor(caller) : marked(caller.user_reference, 'provider')

async function getAccount({ db }: AppContext, { client_id }: Client): Promise<ClientAccount> {
  const account = await readAccount(db, client_id)
  if (!account) throw new Problem('not_found', { detail: 'the client is gone' })
  return account
}
