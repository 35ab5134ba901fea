import type { NewClaim, NumberClaim } from '@custodia/domain'
import { IS_ACTIVE_DEVICE, lockNames } from '../../device-records/store.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import type { Database } from '../../ports/database/pool.ts'

/** Stores the hash of a code. False when the client has no such device. */
export async function insertCode(
  tx: Tx,
  code_hash: Buffer,
  of: { device_id: number; expires_at: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into number_verifications (code_hash, client_id, device_id, expires_at)
     select $1, client_id, device_id, $4 from devices where client_id = $2 and device_id = $3`,
    [code_hash, tx.client_id, of.device_id, of.expires_at],
  )
  return rowCount === 1
}

/** Deletes the unused codes of a device. */
export async function forgetUnusedCodes(tx: Tx, device_id: number): Promise<void> {
  await tx.query(
    'delete from number_verifications where client_id = $1 and device_id = $2 and verified_at is null',
    [tx.client_id, device_id],
  )
}

/** Finds the client of a code; undefined for an unknown, used or expired code, by the same query. */
export function findClientOfCode(
  db: Database,
  code_hash: Buffer,
  now: number,
): Promise<{ client_id: number; client: string } | undefined> {
  return db.global((q) =>
    q.row<{ client_id: number; client: string }>(
      `select c.client_id, c.client from number_verifications v join clients c using (client_id)
       where v.code_hash = $1 and v.verified_at is null and v.expires_at > $2`,
      [code_hash, now],
    ),
  )
}

/** Uses a code. Returns its device, or undefined when a parallel call used it first. */
export function spendCode(
  tx: Tx,
  code_hash: Buffer,
  phone_number: string,
  now: number,
): Promise<number | undefined> {
  return tx.value<number>(
    `update number_verifications set verified_at = $3, phone_number = $2
     where code_hash = $1 and verified_at is null and expires_at > $3 returning device_id`,
    [code_hash, phone_number, now],
  )
}

/** The device of a code, with fields for the audit log. */
export interface VerifiedDevice {
  device_id: number
  device_reference: string
  device_user_reference: string | null
  group_reference: string
  group_id: number
}

/** Locks the device against another change of its numbers. */
export function lockDevice(tx: Tx, device_id: number): Promise<VerifiedDevice | undefined> {
  return tx.row<VerifiedDevice>(
    `select d.device_id, d.device_reference, g.group_reference, g.group_id, u.device_user_reference
     from devices d join groups g using (client_id, group_id)
     left join device_users u on u.client_id = d.client_id and u.device_user_id = d.device_user_id
     where d.client_id = $1 and d.device_id = $2 for update of d`,
    [tx.client_id, device_id],
  )
}

/** Deletes codes that were used or expired before a time. */
export async function purgeCodes(db: Database, since: number): Promise<void> {
  await db.globalWrite((tx) => tx.query('delete from number_verifications where expires_at < $1', [since]))
}

/** Serialises devices that report the same numbers. */
export async function lockNumbers(tx: Tx, numbers: readonly string[]): Promise<void> {
  if (numbers.length === 0) return
  await lockNames(
    tx,
    numbers.map((number) => `number:${tx.client_id}:${number}`),
  )
}

/** Open claims of a device and of other devices with these numbers. A proof before `proved_since` has expired. */
export function findOpenClaims(
  q: Queryable,
  of: { device_id: number; numbers: readonly string[]; proved_since: number },
): Promise<NumberClaim[]> {
  return q.rows<NumberClaim>(
    `select n.claim_id, n.device_id, n.phone_number, n.from_at, n.is_contested, n.last_reported,
       n.last_verified is not null and n.last_verified > $4 and ${IS_ACTIVE_DEVICE} as is_proved
     from device_numbers n join devices d using (client_id, device_id)
     where n.client_id = $1 and n.to_at is null and (n.device_id = $2 or n.phone_number = any($3) and not n.is_contested)`,
    [q.client_id, of.device_id, of.numbers, of.proved_since],
  )
}

/** Updates the report time of repeated claims. */
export async function repeatClaims(
  tx: Tx,
  claims: readonly { claim: NumberClaim; slot_index: number }[],
  now: number,
): Promise<void> {
  if (claims.length === 0) return
  await tx.query(
    `update device_numbers n set last_reported = $3, slot_index = c.slot_index
     from unnest($2::bigint[], $4::smallint[]) as c (claim_id, slot_index) where n.client_id = $1 and n.claim_id = c.claim_id`,
    [
      tx.client_id,
      claims.map(({ claim }) => claim.claim_id),
      now,
      claims.map(({ slot_index }) => slot_index),
    ],
  )
}

/** Ends claims. A process whose clock is ahead may have just started one, so the end is never before the start. */
export async function endClaims(tx: Tx, claims: readonly NumberClaim[], now: number): Promise<void> {
  if (claims.length === 0) return
  await tx.query(
    'update device_numbers set to_at = greatest($3, from_at) where client_id = $1 and claim_id = any($2)',
    [tx.client_id, claims.map(({ claim_id }) => claim_id), now],
  )
}

export async function beginClaims(tx: Tx, claims: readonly NewClaim[], now: number): Promise<void> {
  for (const { device_id, phone_number, slot_index, is_contested, is_reported } of claims)
    await tx.query(
      `insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, last_reported, is_contested)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [tx.client_id, device_id, phone_number, slot_index, now, is_reported ? now : null, is_contested],
    )
}

/** Marks a number as proved by a text message. */
export async function markProved(
  tx: Tx,
  { device_id, phone_number, now }: { device_id: number; phone_number: string; now: number },
): Promise<void> {
  await tx.query(
    `update device_numbers set first_verified = coalesce(first_verified, $4), last_verified = $4
     where client_id = $1 and device_id = $2 and phone_number = $3 and to_at is null`,
    [tx.client_id, device_id, phone_number, now],
  )
}

/** The device's own spelling of its number, with or without a plus. */
export function getSpelling(
  q: Queryable,
  device_id: number,
  phone_number: string,
): Promise<string | undefined> {
  return q.value<string>(
    `select phone_number from device_numbers
     where client_id = $1 and device_id = $2 and to_at is null and ltrim(phone_number, '+') = ltrim($3, '+') limit 1`,
    [q.client_id, device_id, phone_number],
  )
}
