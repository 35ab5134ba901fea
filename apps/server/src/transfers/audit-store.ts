import { utcDay } from '@custodia/domain'
import type { Tx } from '../ports/database/lease.ts'

/** A payload on the target of a config. */
export interface DeliveredPayload {
  transfer_config_reference: string
  transfer_id: string
  payload_id: number
  payload_time: number
  /** First delivery. */
  at: number
  encrypted: string
  decrypted: string
}

/** Stores a delivery by config and UTC day of the payload's time, in the transaction of its attempt. Idempotent. */
export async function enterDelivery(tx: Tx, delivered: DeliveredPayload): Promise<void> {
  await tx.query(
    `insert into transfer_audit (client_id, transfer_config_reference, payload_date, payload_id, transfer_id, transferred_at,
       encrypted_checksum, decrypted_checksum) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      tx.client_id,
      delivered.transfer_config_reference,
      utcDay(delivered.payload_time),
      delivered.payload_id,
      delivered.transfer_id,
      delivered.at,
      delivered.encrypted,
      delivered.decrypted,
    ],
    'transfer_audit_enter',
  )
}
