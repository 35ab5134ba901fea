import type { Database } from '../../ports/database/pool.ts'
import type { Tx } from '../../ports/database/lease.ts'

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
export async function findClientOfCode(
  db: Database,
  code_hash: Buffer,
  now: number,
): Promise<{ client_id: number; client: string } | undefined> {
  const { rows } = await db.global((q) =>
    q.query<{ client_id: number; client: string }>(
      `select c.client_id, c.client from number_verifications v join clients c using (client_id)
       where v.code_hash = $1 and v.verified_at is null and v.expires_at > $2`,
      [code_hash, now],
      'verification_by_code',
    ),
  )
  return rows[0]
}

/** Uses a code. Returns its device, or undefined when a parallel call used it first. */
export async function spendCode(
  tx: Tx,
  code_hash: Buffer,
  phone_number: string,
  now: number,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ device_id: number }>(
    `update number_verifications set verified_at = $3, phone_number = $2
     where code_hash = $1 and verified_at is null and expires_at > $3 returning device_id`,
    [code_hash, phone_number, now],
  )
  return rows[0]?.device_id
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
export async function lockDevice(tx: Tx, device_id: number): Promise<VerifiedDevice | undefined> {
  const { rows } = await tx.query<VerifiedDevice>(
    `select d.device_id, d.device_reference, g.group_reference, g.group_id, u.device_user_reference
     from devices d join groups g using (client_id, group_id)
     left join device_users u on u.client_id = d.client_id and u.device_user_id = d.device_user_id
     where d.client_id = $1 and d.device_id = $2 for update of d`,
    [tx.client_id, device_id],
  )
  return rows[0]
}

/** Deletes codes that were used or expired before a time. */
export async function purgeCodes(db: Database, since: number): Promise<void> {
  await db.globalWrite((tx) => tx.query('delete from number_verifications where expires_at < $1', [since]))
}
