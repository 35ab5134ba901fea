import { randomBytes } from 'node:crypto'
import type { ClaimMapping, GroupTag, TagDefinition } from '@custodia/contract'
import { insertDefaultsIfNone } from '../account/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ClientRow, findClient, insertClient, insertKek, nextClientId } from '../clients/store.ts'
import { insertDeviceUser, type NewDeviceUser } from '../device-users/store.ts'
import { insertGroup, replaceTags, reserveGroup } from '../groups/store.ts'
import { writeTag } from '../groups/tags/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { accountKeyContext } from '../ports/keys/contexts.ts'

/** A new client company: its name, groups and recorded people. */
export interface ProvisionRequest {
  client: string
  client_name: string
  is_provider: boolean
  groups: readonly { group_reference: string; tags: readonly GroupTag[] }[]
  /** Which values tags may have; a tag without definition is free. */
  tags?: readonly TagDefinition[]
  /** Where devices without a known holder belong. */
  default_group: string
  device_users: readonly NewDeviceUser[]
  /** The client's own identity provider; absent: that of the installation. */
  provider?: Omit<
    ClientRow,
    | 'client_id'
    | 'client'
    | 'client_name'
    | 'is_provider'
    | 'account_key'
    | 'first_administrator'
    | 'claim_mapping'
  >
  /** Absent: claims are read by the default names. */
  claim_mapping?: ClaimMapping
  first_administrator?: string
}

/** A client that does not exist yet, with its keys. */
export interface PreparedClient {
  row: ClientRow
  request: ProvisionRequest
  /** What a roll-out puts into the client's devices. */
  account_key: Buffer
  kek: Awaited<ReturnType<AppContext['keys']['createKek']>>
}

/** Bytes of the secret that devices of an account share with the server. */
export const ACCOUNT_KEY_BYTES = 32

const NO_PROVIDER = {
  oidc_issuer: null,
  oidc_client_id: null,
  oidc_client_secret: null,
  oidc_device_client_id: null,
}

/** Makes the keys of a new client, outside of the transaction that makes the client. */
export async function prepareClient(
  { db, keys }: Pick<AppContext, 'db' | 'keys'>,
  request: ProvisionRequest,
): Promise<PreparedClient> {
  const { client, client_name, is_provider, provider = NO_PROVIDER, first_administrator = null } = request
  const { claim_mapping = null } = request
  const account_key = randomBytes(ACCOUNT_KEY_BYTES)
  return {
    row: {
      ...provider,
      client_id: await nextClientId(db),
      client,
      client_name,
      is_provider,
      first_administrator,
      claim_mapping,
      account_key: await keys.wrap(account_key, accountKeyContext(client)),
    },
    request,
    account_key,
    kek: await keys.createKek(client),
  }
}

/** Makes a prepared client, as the tenant that it is. Throws DatabaseProblem `unique` where there is one of that reference. */
export async function insertPrepared(
  tx: Tx,
  { row, request, kek }: PreparedClient,
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  await insertClient(tx, row, by.updated_at)
  await insertKek(tx, kek, by.updated_at)
  await addContents(tx, request, by)
  // A definition that was removed is not missed, as a group would be: it is made with the client only.
  for (const tag of request.tags ?? []) await writeTag(tx, tag, by)
}

/** Creates a client; existing parts do not change. A roll-out installs the account key on its devices. */
export async function provisionClient(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  request: ProvisionRequest,
): Promise<{ client_id: number; account_key: Buffer }> {
  const by = { updated_at: ctx.now(), updated_by: 'provisioning' }
  const stored = await findClient(ctx.db, request.client)
  if (stored) {
    const { client_id } = stored
    await ctx.db.write(client_id, (tx) => addContents(tx, request, by))
    return {
      client_id,
      account_key: await ctx.keys.unwrap(stored.account_key, accountKeyContext(request.client)),
    }
  }
  const prepared = await prepareClient(ctx, request)
  const { client_id } = prepared.row
  await ctx.db.write(client_id, (tx) => insertPrepared(tx, prepared, by))
  return { client_id, account_key: prepared.account_key }
}

async function addContents(
  tx: Tx,
  request: ProvisionRequest,
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  for (const { group_reference, tags } of request.groups) {
    const group_id = await insertGroup(tx, group_reference, by)
    if (group_id !== undefined) await replaceTags(tx, [{ group_id, tags }], by)
  }
  // After the requested groups, whose names take precedence.
  await reserveGroup(tx, by)
  await insertDefaultsIfNone(tx, request.default_group)
  for (const user of request.device_users) await insertDeviceUser(tx, user, by)
}
