import type pg from 'pg'
import type { Tx } from '../ports/database/lease.ts'

// The owner seals keys again outside the server. Each key is replaced only if it is unchanged since the read.

/** A client whose keys are rotated. */
export interface KeyedClient {
  client_id: number
  client: string
  is_provider: boolean
}

/** All clients, the oldest first. */
export async function listKeyedClients(owner: pg.Pool): Promise<KeyedClient[]> {
  const { rows } = await owner.query<KeyedClient>(
    'select client_id, client, is_provider from clients order by client_id',
  )
  return rows
}

/** What a client has wrapped in its own row. */
export async function readWrappedKeys(
  owner: pg.Pool,
  client_id: number,
): Promise<{ account_key: Buffer; oidc_client_secret: Buffer | null } | undefined> {
  const { rows } = await owner.query<{ account_key: Buffer; oidc_client_secret: Buffer | null }>(
    'select account_key, oidc_client_secret from clients where client_id = $1',
    [client_id],
  )
  return rows[0]
}

export async function replaceWrappedKey(
  owner: pg.Pool,
  client_id: number,
  column: 'account_key' | 'oidc_client_secret',
  sealed: Buffer,
  old: Buffer,
): Promise<void> {
  await owner.query(`update clients set ${column} = $1 where client_id = $2 and ${column} = $3`, [
    sealed,
    client_id,
    old,
  ])
}

/** The keys with which the installation signs. */
export async function listSigningKeys(owner: pg.Pool): Promise<{ name: string; wrapped_key: Buffer }[]> {
  const { rows } = await owner.query<{ name: string; wrapped_key: Buffer }>(
    'select name, wrapped_key from signing_keys',
  )
  return rows
}

export async function replaceSigningKey(
  owner: pg.Pool,
  name: string,
  sealed: Buffer,
  old: Buffer,
): Promise<void> {
  await owner.query('update signing_keys set wrapped_key = $1 where name = $2 and wrapped_key = $3', [
    sealed,
    name,
    old,
  ])
}

/** A table of a client's wrapped keys. `k` is its row, and `c` a change of it. */
interface KeyTable {
  table: string
  /** Primary key behind the client. */
  id: Readonly<Record<string, 'bigint' | 'text'>>
  /** SQL of what names a key in its context, `reference` and others. */
  names: string
  join?: string
  /** SQL of the wrapped key; default `k.wrapped_key`. */
  key?: string
  /** SQL that replaces it. */
  set?: string
  where?: string
  lock?: string
}
/** Payloads are locked against destruction: a key that moved after the destruction recorded its place would remain. */
const OF_PAYLOAD = { join: 'join payloads p using (client_id, payload_id)', lock: 'for share of p' }
const OF_DEVICE = { join: 'join devices d using (client_id, device_id)' }
const KEY_TABLES = {
  object: {
    table: 'payload_objects',
    id: { payload_id: 'bigint', kind: 'text' },
    names: 'p.payload_reference as reference',
    key: 'k.wrapped_dek',
    set: 'wrapped_dek = c.sealed',
    ...OF_PAYLOAD,
  },
  comment: {
    table: 'payload_comments',
    id: { comment_id: 'text' },
    names: 'k.comment_id as reference',
    ...OF_PAYLOAD,
  },
  mark: { table: 'payload_marks', id: { mark_id: 'text' }, names: 'k.mark_id as reference', ...OF_PAYLOAD },
  hold_reason: { table: 'legal_hold_reasons', id: { reason_id: 'text' }, names: 'k.reason_id as reference' },
  webhook: {
    table: 'alert_webhooks',
    id: { webhook_reference: 'text' },
    names: 'k.webhook_reference as reference',
  },
  transfer_config: {
    table: 'transfer_configs',
    id: { transfer_config_reference: 'text' },
    names: 'k.transfer_config_reference as reference',
  },
  position: {
    table: 'gps_keys',
    id: { key_id: 'bigint' },
    names: 'd.device_reference as reference, k.day',
    ...OF_DEVICE,
  },
  report: {
    table: 'report_keys',
    id: { report_key_id: 'bigint' },
    names: 'd.device_reference as reference',
    ...OF_DEVICE,
  },
  // Secrets that wait for a second person: confirmed later, they open.
  proposal: {
    table: 'proposals',
    id: { proposal_id: 'text' },
    names: 'k.subject as reference, k.kind',
    key: "decode(k.sealed ->> 'wrapped_key', 'base64')",
    set: `sealed = jsonb_set(k.sealed, '{wrapped_key}', to_jsonb(translate(encode(c.sealed, 'base64'), E'\\n', '')))`,
    where: "and k.state = 'waiting'",
  },
} as const satisfies Record<string, KeyTable>
export type KeyTableName = keyof typeof KEY_TABLES

interface OtherNames {
  position: { day: number }
  proposal: { kind: 'SaveTransferConfig' | 'ChangeIdentityProvider' }
}
/** A wrapped key, what names it in its context, and its primary key. */
export type StoredKey<Name extends KeyTableName> = {
  old: Buffer
  reference: string
} & (Name extends keyof OtherNames ? OtherNames[Name] : unknown)

/** Keys of a table of the tenant behind one, in primary key order. */
export function listKeys<Name extends KeyTableName>(
  tx: Tx,
  name: Name,
  after: StoredKey<Name> | undefined,
  limit: number,
): Promise<StoredKey<Name>[]> {
  const {
    table,
    id,
    names,
    join = '',
    key = 'k.wrapped_key',
    where = '',
    lock = '',
  }: KeyTable = KEY_TABLES[name]
  const columns = Object.entries(id)
  const ids = columns.map(([column]) => `k.${column}`).join()
  const values = columns.map(([column, type]) => after?.[column as never] ?? (type === 'text' ? '' : 0))
  return tx.rows<StoredKey<Name>>(
    `select ${ids}, ${names}, ${key} as old from ${table} k ${join}
     where k.client_id = $1 and ${key} is not null and (${ids}) > (${columns.map(([, type], n) => `$${n + 3}::${type}`).join()}) ${where}
     order by ${ids} limit $2 ${lock}`,
    [tx.client_id, limit, ...values],
  )
}

/** Resolves to the replaced keys; rows that changed meanwhile do not change. */
export function replaceKeys<Name extends KeyTableName>(
  tx: Tx,
  name: Name,
  changes: readonly (StoredKey<Name> & { sealed: Buffer })[],
): Promise<Buffer[]> {
  const {
    table,
    id,
    key = 'k.wrapped_key',
    set = 'wrapped_key = c.sealed',
    where = '',
  }: KeyTable = KEY_TABLES[name]
  const columns = Object.entries(id)
  return tx.column<Buffer>(
    `update ${table} k set ${set}
     from unnest($2::bytea[], $3::bytea[], ${columns.map(([, type], n) => `$${n + 4}::${type}[]`).join()})
       c (old, sealed, ${Object.keys(id).join()})
     where k.client_id = $1 and ${key} = c.old and ${columns.map(([column]) => `k.${column} = c.${column}`).join(' and ')} ${where}
     returning c.sealed`,
    [
      tx.client_id,
      changes.map((each) => each.old),
      changes.map((each) => each.sealed),
      ...columns.map(([column]) => changes.map((each) => each[column as never])),
    ],
  )
}

/** A data key that is stored as a device wrapped it. */
export interface BareDeviceDek {
  payload_id: number
  payload_reference: string
  encrypted_dek: Buffer
}

/** Those of the tenant behind a payload, the oldest first, and locked against destruction. */
export function listBareDeviceDeks(tx: Tx, after: number, limit: number): Promise<BareDeviceDek[]> {
  return tx.rows<BareDeviceDek>(
    `select p.payload_id, p.payload_reference, e.encrypted_dek from payloads p join payload_envelopes e using (client_id, payload_id)
     where p.client_id = $1 and p.payload_id > $2 and e.dek_key is null and e.encrypted_dek <> ''
     order by p.payload_id limit $3 for share of p`,
    [tx.client_id, after, limit],
  )
}

/** Resolves to the names of the slots that rows name now. */
export function replaceDeviceDeks(
  tx: Tx,
  changes: readonly { payload_id: number; encrypted_dek: Buffer; sealed: Buffer }[],
): Promise<Buffer[]> {
  return tx.column<Buffer>('select seal_device_deks($1, $2, $3) as dek_key', [
    changes.map((c) => c.payload_id),
    changes.map((c) => c.encrypted_dek),
    changes.map((c) => c.sealed),
  ])
}

/** The client's devices seal with this key from now on; the private half of the former one stays. */
export async function replaceKek(
  tx: Tx,
  { key_id, public_key_pem }: { key_id: string; public_key_pem: string },
  now: number,
): Promise<void> {
  await tx.query('update client_keys set retired_at = $2 where client_id = $1 and retired_at is null', [
    tx.client_id,
    now,
  ])
  await tx.query(
    'insert into client_keys (key_id, client_id, public_key, created_at) values ($1, $2, $3, $4)',
    [key_id, tx.client_id, public_key_pem, now],
  )
}

/** The wrapped key of the tenant's word index; null if it has none. */
export async function readWordKey(tx: Tx): Promise<Buffer | null> {
  return (
    (await tx.value<Buffer | null>('select wrapped_key from content_indexes where client_id = $1', [
      tx.client_id,
    ])) ?? null
  )
}

/** Resolves to 1 if it was replaced, and to 0 if the key was erased or replaced meanwhile. */
export async function replaceWordKey(tx: Tx, sealed: Buffer, old: Buffer): Promise<number> {
  const { rowCount } = await tx.query(
    'update content_indexes set wrapped_key = $2 where client_id = $1 and wrapped_key = $3',
    [tx.client_id, sealed, old],
  )
  return rowCount
}
