import type { Tx } from '../ports/database/lease.ts'

/** Stores the reasons to choose from, unless a user has saved the account's defaults. */
export async function keepReasonsIfNone(tx: Tx, reasons: readonly string[]): Promise<void> {
  await tx.query(
    `update account_defaults set reasons = $2 where client_id = $1 and updated_at is null and reasons = '{}'`,
    [tx.client_id, reasons],
  )
}
