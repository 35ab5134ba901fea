import type { DeviceCaller } from '../http/context.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'

/** A presented token before its lookup. */
export interface Token {
  client_id: number
  hash: Buffer
}

/** Stores the hash of a token. */
export async function insertToken(
  tx: Tx,
  { hash, device_id, expires_at }: Pick<Token, 'hash'> & { device_id: number; expires_at: number },
): Promise<void> {
  await tx.query(
    'insert into device_tokens (token_hash, client_id, device_id, expires_at) values ($1, $2, $3, $4)',
    [hash, tx.client_id, device_id, expires_at],
  )
}

type FoundDevice = Omit<DeviceCaller, 'kind' | 'client_id'> & {
  last_seen: number | null
  is_deactivated: boolean
  expires_at: number
}

/** Devices of tokens, in order, with their validity; undefined for an unknown token. */
export async function findDevicesOfTokens(
  q: Queryable,
  hashes: readonly Buffer[],
): Promise<(FoundDevice | undefined)[]> {
  const { rows } = await q.query<FoundDevice & { hash: string }>(
    `select encode(t.token_hash, 'hex') as hash, c.client, d.device_id, d.device_reference, d.last_seen, u.device_user_reference,
       g.group_reference, g.group_id, d.is_deactivated, t.expires_at
     from device_tokens t
     join clients c on c.client_id = t.client_id
     join devices d on d.client_id = t.client_id and d.device_id = t.device_id
     join groups g on g.client_id = d.client_id and g.group_id = d.group_id
     left join device_users u on u.client_id = d.client_id and u.device_user_id = d.device_user_id
     where t.token_hash = any($1) and t.client_id = $2`,
    [hashes, q.client_id],
  )
  const devices = new Map(rows.map(({ hash, ...device }) => [hash, device]))
  return hashes.map((hash) => devices.get(hash.toString('hex')))
}

/** Updates the last contact of a device unless it is newer than a time (epoch seconds). */
export async function touchDevice(
  tx: Tx,
  device_id: number,
  { now, unless_since }: { now: number; unless_since: number },
): Promise<void> {
  await tx.query(
    'update devices set last_seen = $2 where device_id = $1 and (last_seen is null or last_seen <= $3)',
    [device_id, now, unless_since],
  )
}

/** Channel that ends the wait of a device in any process: `<client_id> <device_id>`. */
export const WAIT_CHANNEL = 'device_commands'

/** Ends the waits of devices on commit. */
export const endWaits = (tx: Tx, device_ids: readonly number[]): Promise<unknown> =>
  tx.query(`select pg_notify('${WAIT_CHANNEL}', $1 || ' ' || d) from unnest($2::int[]) d`, [
    String(tx.client_id),
    device_ids,
  ])

/** Ends all tokens and the wait of a device: a holder of an old token receives nothing later. */
export async function endTokens(tx: Tx, device_ids: readonly number[]): Promise<void> {
  await endWaits(tx, device_ids)
  await tx.query('delete from device_tokens where client_id = $1 and device_id = any($2)', [
    tx.client_id,
    device_ids,
  ])
}

/** Deletes expired tokens. */
export async function purgeTokens(db: Database, now: number): Promise<void> {
  await db.globalWrite((tx) => tx.query('delete from device_tokens where expires_at < $1', [now]))
}

/** Deletes the tenant's authentication proofs used before a time. */
export async function purgeUlids(tx: Tx, before: number): Promise<void> {
  await tx.query('delete from device_ulids where used_at < $1', [before])
}
