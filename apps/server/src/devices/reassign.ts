import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { periodicJob } from '../jobs/kind.ts'
import { reassignBatch } from '../payloads/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { reassignCommands } from './commands/command-store.ts'
import { type Reassignment, findReassignments, noteReassignment } from './fleet/confirm-store.ts'
import { REPORT_KINDS, reassignReports } from './reports/store.ts'

/** Payloads per transaction. */
const BATCH = 500
/**
 * Seconds for which a finished device is checked again: an announcement may have read the history before the
 * confirmation.
 */
const AGAIN_SECONDS = 3600

/** Reassigns payloads of confirmed devices. Each batch commits and searches anew, so an interrupted run resumes. */
export const reassignDevices = periodicJob({
  name: 'devices.reassign',
  every: 60,
  key: () => 'all',
  async run(ctx, _input, signal) {
    for (const { client_id } of await listClients(ctx.db)) await reassignClient(ctx, client_id, signal)
  },
})

/** Reassigns the payloads of one client. `most`: payloads per transaction. */
export async function reassignClient(
  ctx: Pick<AppContext, 'db' | 'now'>,
  client_id: number,
  signal: AbortSignal,
  most = BATCH,
): Promise<void> {
  const reassignments = await ctx.db.write(client_id, (tx) =>
    findReassignments(tx, ctx.now() - AGAIN_SECONDS),
  )
  for (const reassignment of reassignments) {
    for (let moved = most; moved === most;) {
      signal.throwIfAborted()
      moved = await ctx.db.write(client_id, (tx) => reassignOnce(tx, reassignment, most, ctx.now()))
    }
  }
}

async function reassignOnce(tx: Tx, reassignment: Reassignment, most: number, now: number): Promise<number> {
  await reassignCommands(tx, reassignment.device_id)
  let moved = await reassignBatch(tx, reassignment, { most, now })
  for (const kind of REPORT_KINDS)
    moved = Math.max(moved, await reassignReports(tx, kind, reassignment.device_id, most))
  await noteReassignment(tx, reassignment.reassignment_id, { moved, done_at: moved < most ? now : null })
  return moved
}
