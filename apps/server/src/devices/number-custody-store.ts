import type { NewClaim, NumberClaim } from '@custodia/domain'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { IS_ACTIVE_DEVICE, lockNames } from '../device-records/store.ts'

/** Serialises devices that report the same numbers. */
export async function lockNumbers(tx: Tx, numbers: readonly string[]): Promise<void> {
  if (numbers.length === 0) return
  await lockNames(
    tx,
    numbers.map((number) => `number:${tx.client_id}:${number}`),
  )
}

/** Open claims of a device and of other devices with these numbers. A proof before `proved_since` has expired. */
export async function findOpenClaims(
  q: Queryable,
  of: { device_id: number; numbers: readonly string[]; proved_since: number },
): Promise<NumberClaim[]> {
  const { rows } = await q.query<NumberClaim>(
    `select n.claim_id, n.device_id, n.phone_number, n.from_at, n.is_contested, n.last_reported,
       n.last_verified is not null and n.last_verified > $4 and ${IS_ACTIVE_DEVICE} as is_proved
     from device_numbers n join devices d using (client_id, device_id)
     where n.client_id = $1 and n.to_at is null and (n.device_id = $2 or n.phone_number = any($3) and not n.is_contested)`,
    [q.client_id, of.device_id, of.numbers, of.proved_since],
    'device_numbers_open',
  )
  return rows
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
    'device_numbers_repeat',
  )
}

/** Ends claims. A process whose clock is ahead may have just started one, so the end is never before the start. */
export async function endClaims(tx: Tx, claims: readonly NumberClaim[], now: number): Promise<void> {
  if (claims.length === 0) return
  await tx.query(
    'update device_numbers set to_at = greatest($3, from_at) where client_id = $1 and claim_id = any($2)',
    [tx.client_id, claims.map(({ claim_id }) => claim_id), now],
    'device_numbers_end',
  )
}

export async function beginClaims(tx: Tx, claims: readonly NewClaim[], now: number): Promise<void> {
  for (const { device_id, phone_number, slot_index, is_contested, is_reported } of claims)
    await tx.query(
      `insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, last_reported, is_contested)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [tx.client_id, device_id, phone_number, slot_index, now, is_reported ? now : null, is_contested],
      'device_numbers_begin',
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
    'device_numbers_proved',
  )
}

/** The device's own spelling of its number, with or without a plus. */
export async function spellingOf(
  q: Queryable,
  device_id: number,
  phone_number: string,
): Promise<string | undefined> {
  const { rows } = await q.query<{ phone_number: string }>(
    `select phone_number from device_numbers
     where client_id = $1 and device_id = $2 and to_at is null and ltrim(phone_number, '+') = ltrim($3, '+') limit 1`,
    [q.client_id, device_id, phone_number],
    'device_number_spelling',
  )
  return rows[0]?.phone_number
}
