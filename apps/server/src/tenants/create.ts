import { type ClientIdentity, DAY, fault, FIRST_ENROLMENT_DAYS, type NewClient } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { issueEnrolment } from '../device-records/enrolments-store.ts'
import { Problem } from '../http/problem.ts'
import { checkClientProvider, sealSecret } from '../identity-providers/settings.ts'
import { writeLimits } from '../licenses/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { insertPrepared, prepareClient, type PreparedClient } from './provision.ts'

/** Groups in which the devices of a new account are, until its administrators make others. */
const DEFAULT_GROUP = { client: 'Default', provider: 'Staff' } as const

/** What an account is made of: a client's, or the provider's own, which has neither licences nor devices. */
export type NewAccount = Omit<NewClient, 'limits'>

type Parts = Pick<AppContext, 'config' | 'db' | 'keys' | 'egress'>

/**
 * Reads the identity provider and makes the keys of a new account, without database writes. Problem: invalid_input.
 */
export async function prepareAccount(
  ctx: Parts,
  { client, client_name, identity, claim_mapping, first_administrator }: NewAccount,
  { is_provider }: { is_provider: boolean },
): Promise<PreparedClient> {
  const default_group = DEFAULT_GROUP[is_provider ? 'provider' : 'client']
  // The embedded provider knows people of the demo only.
  if (identity === null && !ctx.config.oidc && !ctx.config.demo)
    throw new Problem('invalid_input', { faults: [fault('identity', 'required', { field: 'identity' })] })
  const provider = identity && (await readProvider(ctx, client, identity))
  return prepareClient(ctx, {
    client,
    client_name,
    is_provider,
    groups: [{ group_reference: default_group, tags: [] }],
    default_group,
    device_users: [],
    first_administrator,
    ...(claim_mapping && { claim_mapping }),
    ...(provider && { provider }),
  })
}

async function readProvider(
  { egress, keys }: Pick<AppContext, 'egress' | 'keys'>,
  client: string,
  identity: NonNullable<ClientIdentity>,
) {
  const { issuer, oidc_client_id, oidc_device_client_id, client_secret } = await checkClientProvider(
    { egress },
    identity,
  )
  return {
    oidc_issuer: issuer,
    oidc_client_id,
    oidc_device_client_id: oidc_device_client_id ?? null,
    oidc_client_secret: (await sealSecret(keys, client, { issuer, oidc_client_id, client_secret })) ?? null,
  }
}

/** Makes a prepared client with its licences. The account key and the enrolment of a first device cannot be read again. */
export async function createClient(
  { config }: Pick<AppContext, 'config'>,
  tx: Tx,
  prepared: PreparedClient,
  { limits, now, by }: Pick<NewClient, 'limits'> & { now: number; by: string },
): Promise<{ account_key: string; enrolment: string }> {
  await insertPrepared(tx, prepared, { updated_at: now, updated_by: by })
  await writeLimits(tx, limits, { now, by })
  const { text } = await issueEnrolment(
    tx,
    { server_url: config.clientPortalUrl, client: prepared.row.client },
    {
      device_user_id: null,
      description: null,
      max_uses: 1,
      matches_email: false,
      created_at: now,
      created_by: by,
      expires_at: now + FIRST_ENROLMENT_DAYS * DAY,
    },
  )
  return { account_key: prepared.account_key.toString('base64'), enrolment: text }
}
