import { randomBytes } from 'node:crypto'
import type { DeviceService, GroupTag, TagDefinition } from '@custodia/contract'
import { accountKeyContext } from '../devices/proof.ts'
import type { House } from '../house.ts'
import type { Tx } from '../ports/database/lease.ts'

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
  device_users: readonly {
    device_user_reference: string
    group: string
    services: readonly DeviceService[]
    email: string
    first_name: string
    surname: string
  }[]
}

/** Bytes of the secret that phones of an account share with the server. */
const ACCOUNT_KEY_BYTES = 32
const BY = 'provisioning'

/** Sets a client up; what is there already stays as it is. The account key is what a roll-out puts into its phones. */
export async function provisionClient(
  house: Pick<House, 'db' | 'keys' | 'now'>,
  request: ProvisionRequest,
): Promise<{ client_id: number; account_key: Buffer }> {
  const { client_id, account_key, is_new } = await makeClient(house, request)
  await makePhoneKey(house, client_id, request.client)
  await house.db.write(client_id, async (tx) => {
    await makeGroups(tx, client_id, request, house.now())
    // Nobody misses a definition that was removed, as one misses a group: it is made with the client only.
    if (is_new) await makeTags(tx, client_id, request.tags ?? [], house.now())
    await makeDeviceUsers(tx, client_id, request, house.now())
  })
  return { client_id, account_key }
}

async function makeClient(house: Pick<House, 'db' | 'keys' | 'now'>, request: ProvisionRequest) {
  const context = accountKeyContext(request.client)
  const wrapped = await house.keys.wrap(randomBytes(ACCOUNT_KEY_BYTES), context)
  const stored = await house.db.globalWrite(async (tx) => {
    const made = await tx.query(
      `insert into clients (client, client_name, is_provider, account_key, created_at) values ($1, $2, $3, $4, $5)
       on conflict (client) do nothing`,
      [request.client, request.client_name, request.is_provider, wrapped, house.now()],
    )
    const { rows } = await tx.query<{ client_id: number; account_key: Buffer }>(
      'select client_id, account_key from clients where client = $1',
      [request.client],
    )
    return rows[0] && { ...rows[0], is_new: made.rowCount > 0 }
  })
  if (!stored) throw new Error('the client was not stored')
  return { ...stored, account_key: await house.keys.unwrap(stored.account_key, context) }
}

async function makePhoneKey(
  house: Pick<House, 'db' | 'keys' | 'now'>,
  client_id: number,
  client: string,
): Promise<void> {
  const present = await house.db.global((q) =>
    q.query('select from client_keys where client_id = $1', [client_id]),
  )
  if (present.rowCount > 0) return
  const { key_id, public_key_pem } = await house.keys.createPhoneKey(client)
  await house.db.globalWrite((tx) =>
    tx.query('insert into client_keys (key_id, client_id, public_key, created_at) values ($1, $2, $3, $4)', [
      key_id,
      client_id,
      public_key_pem,
      house.now(),
    ]),
  )
}

async function makeGroups(tx: Tx, client_id: number, request: ProvisionRequest, now: number): Promise<void> {
  for (const { group_reference, tags } of request.groups) {
    const made = await tx.query<{ group_id: number }>(
      `insert into groups (client_id, group_reference, updated_at, updated_by) values ($1, $2, $3, $4)
       on conflict do nothing returning group_id`,
      [client_id, group_reference, now, BY],
    )
    for (const { key, value } of made.rows.length > 0 ? tags : []) {
      await tx.query(
        'insert into group_tags (client_id, group_id, tag_key, tag_value) values ($1, $2, $3, $4)',
        [client_id, made.rows[0]?.group_id, key, value],
      )
    }
  }
  await tx.query(
    `insert into account_defaults (client_id, group_id) select $1, group_id from groups where group_reference = $2
     on conflict do nothing`,
    [client_id, request.default_group],
  )
}

async function makeTags(
  tx: Tx,
  client_id: number,
  tags: readonly TagDefinition[],
  now: number,
): Promise<void> {
  for (const { tag_key, tag_values, is_required, default_value } of tags) {
    await tx.query(
      `insert into tag_definitions (client_id, tag_key, tag_values, is_required, default_value, updated_at, updated_by)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
      [client_id, tag_key, tag_values, is_required, default_value, now, BY],
    )
  }
}

async function makeDeviceUsers(
  tx: Tx,
  client_id: number,
  request: ProvisionRequest,
  now: number,
): Promise<void> {
  for (const user of request.device_users) {
    await tx.query(
      `insert into device_users (client_id, device_user_reference, group_id, services, email, first_name, surname,
         onboard_date, updated_at, updated_by)
       select $1, $2, group_id, $4, $5, $6, $7, $8, $8, $9 from groups where group_reference = $3
       on conflict do nothing`,
      [
        client_id,
        user.device_user_reference,
        user.group,
        user.services,
        user.email,
        user.first_name,
        user.surname,
        now,
        BY,
      ],
    )
  }
}
