import type { Tx } from '../ports/database/lease.ts'

export interface SealedReason {
  reason_id: string
  sealed_reason: Buffer
  wrapped_key: Buffer
}

/** Stores a reason permanently. */
export async function insertReason(tx: Tx, reason: SealedReason): Promise<void> {
  await tx.query(
    'insert into legal_hold_reasons (client_id, reason_id, sealed_reason, wrapped_key) values ($1, $2, $3, $4)',
    [tx.client_id, reason.reason_id, reason.sealed_reason, reason.wrapped_key],
  )
}
