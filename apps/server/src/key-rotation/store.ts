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

export async function replaceAccountKey(
  owner: pg.Pool,
  client_id: number,
  sealed: Buffer,
  old: Buffer,
): Promise<void> {
  await owner.query('update clients set account_key = $1 where client_id = $2 and account_key = $3', [
    sealed,
    client_id,
    old,
  ])
}

export async function replaceOidcSecret(
  owner: pg.Pool,
  client_id: number,
  sealed: Buffer,
  old: Buffer,
): Promise<void> {
  await owner.query(
    'update clients set oidc_client_secret = $1 where client_id = $2 and oidc_client_secret = $3',
    [sealed, client_id, old],
  )
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

/** The wrapped data key of an object, with its owner. */
export interface WrappedDek {
  payload_id: number
  kind: string
  wrapped_dek: Buffer | null
  reference: string
}

/**
 * Objects of the tenant after a position, in primary key order. Their payloads are locked against destruction,
 * because a key that moved after the destruction recorded its place would remain.
 */
export function listWrappedDeks(
  tx: Tx,
  after: readonly [payload_id: number, kind: string],
  limit: number,
): Promise<WrappedDek[]> {
  return tx.rows<WrappedDek>(
    `select o.payload_id, o.kind, o.wrapped_dek, p.payload_reference as reference
     from payload_objects o join payloads p using (client_id, payload_id)
     where o.client_id = $1 and (o.payload_id, o.kind) > ($2, $3) order by o.payload_id, o.kind limit $4
     for share of p`,
    [tx.client_id, ...after, limit],
  )
}

/** A data key that is stored as a phone wrapped it. */
export interface BarePhoneDek {
  payload_id: number
  payload_reference: string
  encrypted_dek: Buffer
}

/** Those of the tenant behind a payload, the oldest first, and as in `listWrappedDeks` not destroyed meanwhile. */
export function listBarePhoneDeks(tx: Tx, after: number, limit: number): Promise<BarePhoneDek[]> {
  return tx.rows<BarePhoneDek>(
    `select p.payload_id, p.payload_reference, e.encrypted_dek from payloads p join payload_envelopes e using (client_id, payload_id)
     where p.client_id = $1 and p.payload_id > $2 and e.dek_key is null and e.encrypted_dek <> ''
     order by p.payload_id limit $3 for share of p`,
    [tx.client_id, after, limit],
  )
}

/** Resolves to the names of the slots that rows name now. */
export function replacePhoneDeks(
  tx: Tx,
  changes: readonly { payload_id: number; encrypted_dek: Buffer; sealed: Buffer }[],
): Promise<Buffer[]> {
  return tx.column<Buffer>('select seal_phone_deks($1, $2, $3) as dek_key', [
    changes.map((c) => c.payload_id),
    changes.map((c) => c.encrypted_dek),
    changes.map((c) => c.sealed),
  ])
}

/** A data key that was sealed again. */
export interface RewrappedDek {
  payload_id: number
  kind: string
  old: Buffer
  sealed: Buffer
}

/** Resolves to the replaced keys; rows that changed meanwhile do not change. */
export function replaceDeks(tx: Tx, changes: readonly RewrappedDek[]): Promise<Buffer[]> {
  return tx.column<Buffer>(
    `update payload_objects o set wrapped_dek = c.sealed
     from unnest($2::bigint[], $3::text[], $4::bytea[], $5::bytea[]) c (payload_id, kind, old, sealed)
     where o.client_id = $1 and o.payload_id = c.payload_id and o.kind = c.kind and o.wrapped_dek = c.old
     returning c.sealed`,
    [
      tx.client_id,
      changes.map((c) => c.payload_id),
      changes.map((c) => c.kind),
      changes.map((c) => c.old),
      changes.map((c) => c.sealed),
    ],
  )
}

/**
 * Keys of texts, and secrets of webhooks and transfer configs: the column of the key, the column of its name, and
 * whether it follows a payload, as in `listWrappedDeks`.
 */
const TEXT_TABLES = {
  comment: { table: 'payload_comments', id: 'comment_id', follows: true },
  mark: { table: 'payload_marks', id: 'mark_id', follows: true },
  webhook: { table: 'alert_webhooks', id: 'webhook_reference', follows: false },
  transfer_config: { table: 'transfer_configs', id: 'transfer_config_reference', follows: false },
  hold_reason: { table: 'legal_hold_reasons', id: 'reason_id', follows: false },
} as const
export type TextKind = keyof typeof TEXT_TABLES

/** Comments, marks, reasons of holds, webhooks or transfer configs of the tenant behind one, in the order of their ids, with their wrapped keys. */
export function listKeysOfTexts(
  tx: Tx,
  kind: TextKind,
  after: string,
  limit: number,
): Promise<{ id: string; wrapped_key: Buffer | null }[]> {
  const { table, id, follows } = TEXT_TABLES[kind]
  return tx.rows<{ id: string; wrapped_key: Buffer | null }>(
    `select k.${id} as id, k.wrapped_key from ${table} k ${follows ? 'join payloads p using (client_id, payload_id)' : ''}
     where k.client_id = $1 and k.${id} > $2 order by k.${id} limit $3 ${follows ? 'for share of p' : ''}`,
    [tx.client_id, after, limit],
  )
}

/** As `replaceDeks`. */
export function replaceKeysOfTexts(
  tx: Tx,
  kind: TextKind,
  changes: readonly { id: string; old: Buffer; sealed: Buffer }[],
): Promise<Buffer[]> {
  const { table, id } = TEXT_TABLES[kind]
  return tx.column<Buffer>(
    `update ${table} k set wrapped_key = c.sealed
     from unnest($2::text[], $3::bytea[], $4::bytea[]) c (id, old, sealed)
     where k.client_id = $1 and k.${id} = c.id and k.wrapped_key = c.old
     returning c.sealed`,
    [tx.client_id, changes.map((c) => c.id), changes.map((c) => c.old), changes.map((c) => c.sealed)],
  )
}

/** Keys of positions of the tenant behind one, in the order of their ids. */
export function listGpsKeys(
  tx: Tx,
  after: number,
  limit: number,
): Promise<{ key_id: number; device_reference: string; day: number; wrapped_key: Buffer | null }[]> {
  return tx.rows<{
    key_id: number
    device_reference: string
    day: number
    wrapped_key: Buffer | null
  }>(
    `select k.key_id, d.device_reference, k.day, k.wrapped_key from gps_keys k join devices d using (client_id, device_id)
     where k.client_id = $1 and k.key_id > $2 order by k.key_id limit $3`,
    [tx.client_id, after, limit],
  )
}

/** Resolves to how many were replaced: those that changed meanwhile are not. */
export async function replaceGpsKeys(
  tx: Tx,
  changes: readonly { key_id: number; old: Buffer; sealed: Buffer }[],
): Promise<number> {
  const { rowCount } = await tx.query(
    `update gps_keys k set wrapped_key = c.sealed
     from unnest($2::bigint[], $3::bytea[], $4::bytea[]) c (key_id, old, sealed)
     where k.client_id = $1 and k.key_id = c.key_id and k.wrapped_key = c.old`,
    [tx.client_id, changes.map((c) => c.key_id), changes.map((c) => c.old), changes.map((c) => c.sealed)],
  )
  return rowCount
}

/** A pending proposal with secrets: its id, the owner of the secrets, and their wrapped key in base64. */
export interface ProposedKey {
  proposal_id: string
  kind: 'SaveTransferConfig' | 'ChangeIdentityProvider'
  subject: string
  wrapped_key: string
}

/** Proposals of the tenant behind one that wait with secrets, in the order of their primary key. */
export function listProposedKeys(tx: Tx, after: string, limit: number): Promise<ProposedKey[]> {
  return tx.rows<ProposedKey>(
    `select proposal_id, kind, subject, sealed ->> 'wrapped_key' as wrapped_key from proposals
     where client_id = $1 and state = 'waiting' and sealed ->> 'wrapped_key' is not null and proposal_id > $2
     order by proposal_id limit $3`,
    [tx.client_id, after, limit],
  )
}

/** Resolves to how many were replaced: those that ended meanwhile are not. */
export async function replaceProposedKeys(
  tx: Tx,
  changes: readonly { proposal_id: string; old: string; sealed: string }[],
): Promise<number> {
  const { rowCount } = await tx.query(
    `update proposals p set sealed = jsonb_set(p.sealed, '{wrapped_key}', to_jsonb(c.sealed))
     from unnest($2::text[], $3::text[], $4::text[]) c (proposal_id, old, sealed)
     where p.client_id = $1 and p.proposal_id = c.proposal_id and p.state = 'waiting' and p.sealed ->> 'wrapped_key' = c.old`,
    [
      tx.client_id,
      changes.map((c) => c.proposal_id),
      changes.map((c) => c.old),
      changes.map((c) => c.sealed),
    ],
  )
  return rowCount
}

/** Keys of reports of the tenant after a position, in primary key order, with their owners. */
export function listReportKeys(
  tx: Tx,
  after: number,
  limit: number,
): Promise<{ report_key_id: number; device_reference: string; wrapped_key: Buffer }[]> {
  return tx.rows<{ report_key_id: number; device_reference: string; wrapped_key: Buffer }>(
    `select k.report_key_id, d.device_reference, k.wrapped_key from report_keys k join devices d using (client_id, device_id)
     where k.client_id = $1 and k.report_key_id > $2 order by k.report_key_id limit $3`,
    [tx.client_id, after, limit],
  )
}

/** Resolves to how many were replaced: those that changed meanwhile are not. */
export async function replaceReportKeys(
  tx: Tx,
  changes: readonly { report_key_id: number; old: Buffer; sealed: Buffer }[],
): Promise<number> {
  const { rowCount } = await tx.query(
    `update report_keys k set wrapped_key = c.sealed
     from unnest($2::bigint[], $3::bytea[], $4::bytea[]) c (report_key_id, old, sealed)
     where k.client_id = $1 and k.report_key_id = c.report_key_id and k.wrapped_key = c.old`,
    [
      tx.client_id,
      changes.map((c) => c.report_key_id),
      changes.map((c) => c.old),
      changes.map((c) => c.sealed),
    ],
  )
  return rowCount
}

/** The client's phones seal with this key from now on; the private half of the former one stays. */
export async function replacePhoneKey(
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
