import { DEFAULT_CLAIM_MAPPING, PROVIDER_CLIENT } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { type Client, findClient } from '../clients/store.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { OPERATOR } from '../http/context.ts'
import { getVersion } from '../http/etag.ts'
import { oidcSecretContext } from '../ports/keys/contexts.ts'
import { type NewAccount, prepareAccount } from './create.ts'
import { insertPrepared } from './provision.ts'

type Parts = Pick<AppContext, 'config' | 'db' | 'keys' | 'egress' | 'audit' | 'now'>

/**
 * Creates the provider's own account with its first administrator. Resolves to whether it was created; equal values
 * change nothing. Throws if the account has other values, and names them.
 */
export async function bootstrap(ctx: Parts, account: Omit<NewAccount, 'client'>): Promise<boolean> {
  const present = await findClient(ctx.db, PROVIDER_CLIENT)
  if (present) {
    if (await isSame(ctx, present, account)) return false
    throw new Error(
      `The account of the provider exists already, with other values: ${described(present)}. Nothing was changed.`,
    )
  }
  const prepared = await prepareAccount(ctx, { ...account, client: PROVIDER_CLIENT }, { is_provider: true })
  const { client_name, first_administrator, oidc_issuer, oidc_client_id, client_id } = prepared.row
  const at = ctx.now()
  await ctx.db.write(client_id, async (tx) => {
    await insertPrepared(tx, prepared, { updated_at: at, updated_by: OPERATOR })
    const facts = { client_name, first_administrator, oidc_issuer, oidc_client_id }
    await ctx.audit.appendWithin(
      tx,
      systemEntry({ client_id }, { at, by: OPERATOR }, 'operator:bootstrap', facts),
    )
  })
  return true
}

async function isSame(
  { keys }: Pick<AppContext, 'keys'>,
  present: Client,
  { client_name, identity, claim_mapping, first_administrator }: Omit<NewAccount, 'client'>,
): Promise<boolean> {
  const secret =
    present.oidc_client_secret &&
    (await keys.unwrap(present.oidc_client_secret, oidcSecretContext(present.client))).toString()
  const withoutSlash = (issuer: string | null | undefined) => issuer?.replace(/\/$/, '') ?? null
  return (
    present.client_name === client_name &&
    present.first_administrator === first_administrator &&
    withoutSlash(present.oidc_issuer) === withoutSlash(identity?.issuer) &&
    present.oidc_client_id === (identity?.oidc_client_id ?? null) &&
    present.oidc_device_client_id === (identity?.oidc_device_client_id ?? null) &&
    getVersion(present.claim_mapping) === getVersion(claim_mapping ?? DEFAULT_CLAIM_MAPPING) &&
    secret === (identity?.client_secret ?? null)
  )
}

const described = ({ client_name, oidc_issuer, oidc_client_id, first_administrator }: Client): string =>
  `${client_name}, identity provider ${oidc_issuer === null ? 'of the installation' : `${oidc_issuer} (${oidc_client_id})`}, ` +
  `first administrator ${first_administrator ?? 'none'}`
