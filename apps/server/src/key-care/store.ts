import type pg from 'pg'
import type { Tx } from '../ports/database/lease.ts'

// Keys are sealed anew by the owner, beside the server. Each is replaced only where it still is what was read.

/** A client whose keys are cared for. */
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

/** The wrapped data key of an object, and whose it is. */
export interface WrappedDek {
  payload_id: number
  kind: string
  wrapped_dek: Buffer | null
  reference: string
}

/** Objects of the tenant behind a place, in the order of their primary key. */
export async function listWrappedDeks(
  tx: Tx,
  after: readonly [payload_id: number, kind: string],
  limit: number,
): Promise<WrappedDek[]> {
  const { rows } = await tx.query<WrappedDek>(
    `select o.payload_id, o.kind, o.wrapped_dek, p.payload_reference as reference
     from payload_objects o join payloads p using (client_id, payload_id)
     where o.client_id = $1 and (o.payload_id, o.kind) > ($2, $3) order by o.payload_id, o.kind limit $4`,
    [tx.client_id, ...after, limit],
  )
  return rows
}

/** A data key that was sealed anew. */
export interface RewrappedDek {
  payload_id: number
  kind: string
  old: Buffer
  sealed: Buffer
}

/** Resolves to how many were replaced: those that changed meanwhile are not. */
export async function replaceDeks(tx: Tx, changes: readonly RewrappedDek[]): Promise<number> {
  const { rowCount } = await tx.query(
    `update payload_objects o set wrapped_dek = c.sealed
     from unnest($2::bigint[], $3::text[], $4::bytea[], $5::bytea[]) c (payload_id, kind, old, sealed)
     where o.client_id = $1 and o.payload_id = c.payload_id and o.kind = c.kind and o.wrapped_dek = c.old`,
    [
      tx.client_id,
      changes.map((c) => c.payload_id),
      changes.map((c) => c.kind),
      changes.map((c) => c.old),
      changes.map((c) => c.sealed),
    ],
  )
  return rowCount
}

/** Comments of the tenant behind one, in the order of their primary key, with their wrapped keys. */
export async function listCommentKeys(
  tx: Tx,
  after: string,
  limit: number,
): Promise<{ comment_id: string; wrapped_key: Buffer | null }[]> {
  const { rows } = await tx.query<{ comment_id: string; wrapped_key: Buffer | null }>(
    `select comment_id, wrapped_key from payload_comments where client_id = $1 and comment_id > $2
     order by comment_id limit $3`,
    [tx.client_id, after, limit],
  )
  return rows
}

/** Resolves to how many were replaced: those that changed meanwhile are not. */
export async function replaceCommentKeys(
  tx: Tx,
  changes: readonly { comment_id: string; old: Buffer; sealed: Buffer }[],
): Promise<number> {
  const { rowCount } = await tx.query(
    `update payload_comments k set wrapped_key = c.sealed
     from unnest($2::text[], $3::bytea[], $4::bytea[]) c (comment_id, old, sealed)
     where k.client_id = $1 and k.comment_id = c.comment_id and k.wrapped_key = c.old`,
    [tx.client_id, changes.map((c) => c.comment_id), changes.map((c) => c.old), changes.map((c) => c.sealed)],
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
