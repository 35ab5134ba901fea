import type { Tx } from '../ports/database/lease.ts'

/** A device whose payloads are to be reassigned. */
export interface Refiling {
  reassignment_id: number
  device_id: number
  requested_by: string
}

/** Requests a reassignment of a device's payloads, with an audit entry. */
export async function insertRefiling(
  tx: Tx,
  { device_id, at, by }: { device_id: number; at: number; by: string },
): Promise<void> {
  await tx.query(
    'insert into device_reassignments (client_id, device_id, requested_at, requested_by) values ($1, $2, $3, $4)',
    [tx.client_id, device_id, at, by],
    'refiling_insert',
  )
}

/** Open reassignments, and done ones that a concurrent announcement may have missed. */
export async function findRefilings(tx: Tx, done_since: number): Promise<Refiling[]> {
  const { rows } = await tx.query<Refiling>(
    `select reassignment_id, device_id, requested_by from device_reassignments
     where client_id = $1 and (done_at is null or done_at > $2) order by reassignment_id`,
    [tx.client_id, done_since],
    'refilings_find',
  )
  return rows
}

/** Stores the progress of a reassignment. */
export async function noteRefiling(
  tx: Tx,
  reassignment_id: number,
  { moved, done_at }: { moved: number; done_at: number | null },
): Promise<void> {
  await tx.query(
    `update device_reassignments set moved = moved + $3, done_at = coalesce(done_at, $4)
     where client_id = $1 and reassignment_id = $2 and ($3 > 0 or done_at is null)`,
    [tx.client_id, reassignment_id, moved, done_at],
    'refiling_note',
  )
}
