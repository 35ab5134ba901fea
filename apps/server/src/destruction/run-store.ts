import { newId } from '../http/new-id.ts'
import { CLOCK } from '../held-records/store.ts'
import type { Tx } from '../ports/database/lease.ts'

/**
 * Finds or opens the run of the account, which stays open during the transaction. Call it before locking payloads,
 * because opening waits for other transactions.
 */
export async function openRun(tx: Tx): Promise<string> {
  // A run that ended between the two statements is retried.
  for (let attempt = 0; attempt < 5; attempt++) {
    await tx.query(
      `insert into destruction_runs (client_id, run_id, began_at) select $1, $2, ${CLOCK}
       where not exists (select from destruction_runs where client_id = $1 and ended_at is null) on conflict do nothing`,
      [tx.client_id, newId()],
      'destruction_run_open',
    )
    const { rows } = await tx.query<{ run_id: string }>(
      'select run_id from destruction_runs where client_id = $1 and ended_at is null for share',
      [tx.client_id],
      'destruction_run',
    )
    if (rows[0]) return rows[0].run_id
  }
  throw new Error('No destruction run stays open.')
}

/** Ends the open run when no pass has work left, or after a day. */
export async function endRun(tx: Tx, { longest }: { longest: number }): Promise<void> {
  const { rows } = await tx.query<{ run_id: string }>(
    'select run_id from destruction_runs where client_id = $1 and ended_at is null for update',
    [tx.client_id],
    'destruction_run_lock',
  )
  if (rows.length === 0) return
  // A separate statement sees a pass that started during the wait.
  await tx.query(
    `update destruction_runs r set ended_at = ${CLOCK},
       payloads = (select count(*) from destruction_ledger l where l.client_id = $1 and l.run_id = r.run_id)
     where client_id = $1 and ended_at is null
       and (began_at < ${CLOCK} - $2::bigint or not exists (
         select from retention_positions where client_id = $1 and act = 'destroy' and ended_at is null))`,
    [tx.client_id, longest],
    'destruction_run_end',
  )
}
