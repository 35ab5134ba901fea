import { randomBytes } from 'node:crypto'
import type { GroupTag, TagDefinition } from '@custodia/contract'
import { insertDefaultsIfNone } from '../account/store.ts'
import { insertDeviceUser, type NewDeviceUser } from '../device-users/store.ts'
import { insertGroup, replaceTags, reserveGroup } from '../groups/store.ts'
import type { House } from '../house.ts'
import { accountKeyContext } from '../ports/keys/contexts.ts'
import { writeTag } from '../tags/store.ts'
import { findClient, hasPhoneKey, insertClient, insertPhoneKey } from './store.ts'

/** A client company as it is set up: its name, groups and the people whose phones are recorded. */
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
}

/** Bytes of the secret that phones of an account share with the server. */
const ACCOUNT_KEY_BYTES = 32

type Parts = Pick<House, 'db' | 'keys' | 'now'>

/** Sets a client up; what is there already stays as it is. The account key is what a roll-out puts into its phones. */
export async function provisionClient(
  house: Parts,
  request: ProvisionRequest,
): Promise<{ client_id: number; account_key: Buffer }> {
  const { client_id, account_key, is_new } = await makeClient(house, request)
  await makePhoneKey(house, client_id, request.client)
  const by = { updated_at: house.now(), updated_by: 'provisioning' }
  await house.db.write(client_id, async (tx) => {
    for (const { group_reference, tags } of request.groups) {
      const group_id = await insertGroup(tx, group_reference, by)
      if (group_id !== undefined) await replaceTags(tx, [{ group_id, tags }], by)
    }
    // Behind those that the client asked for: their names are theirs.
    await reserveGroup(tx, by)
    await insertDefaultsIfNone(tx, request.default_group)
    // Nobody misses a definition that was removed, as one misses a group: it is made with the client only.
    for (const tag of is_new ? (request.tags ?? []) : []) await writeTag(tx, tag, by)
    for (const user of request.device_users) await insertDeviceUser(tx, user, by)
  })
  return { client_id, account_key }
}

async function makeClient({ db, keys, now }: Parts, { client, client_name, is_provider }: ProvisionRequest) {
  const context = accountKeyContext(client)
  const account_key = await keys.wrap(randomBytes(ACCOUNT_KEY_BYTES), context)
  const is_new = await db.globalWrite((tx) =>
    insertClient(tx, { client, client_name, is_provider, account_key }, now()),
  )
  const stored = await findClient(db, client)
  if (!stored) throw new Error('the client was not stored')
  return {
    client_id: stored.client_id,
    account_key: await keys.unwrap(stored.account_key, context),
    is_new,
  }
}

async function makePhoneKey({ db, keys, now }: Parts, client_id: number, client: string): Promise<void> {
  if (await hasPhoneKey(db, client_id)) return
  await insertPhoneKey(db, client_id, await keys.createPhoneKey(client), now())
}
