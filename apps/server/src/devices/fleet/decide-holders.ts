import {
  fault,
  type Fault,
  type HolderDecision,
  type HolderRow,
  type HoldersAnswer,
} from '@custodia/contract'
import { mayKnowHolds } from '../../access/holds.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler, PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { attempt, rehearse } from '../../ports/database/savepoint.ts'
import { reassignDevices } from '../reassign.ts'
import { decide, waitingWithinReach } from './confirm-holder.ts'
import { findWaitingBySerial } from './confirm-store.ts'
import { toResponse } from './fleet-store.ts'

type Result = HoldersAnswer['rows'][number]

/** Decides waiting devices one by one; a refused row does not affect the others. */
export const decideHolders =
  (ctx: Pick<AppContext, 'jobs'>): Handler<'decideDeviceHolders'> =>
  (context, { body }) =>
    context.write(async (tx) => {
      const answer = await decideRows(context, tx, body)
      await ctx.jobs.send(tx, reassignDevices, {})
      return answer
    })

/** Reverts the decisions. */
export const reviewHolders: Handler<'reviewDeviceHolders'> = (context, { body }) =>
  context.write((tx) => rehearse(tx, () => decideRows(context, tx, body)))

async function decideRows(
  context: PortalContext,
  tx: Tx,
  { decision, rows }: { decision: HolderDecision; rows: readonly HolderRow[] },
): Promise<HoldersAnswer> {
  const result: Result[] = []
  for (const row of rows) result.push(await decideRow(context, tx, { decision, row }))
  return { rows: result }
}

async function decideRow(
  context: PortalContext,
  tx: Tx,
  { decision, row }: { decision: HolderDecision; row: HolderRow },
): Promise<Result> {
  try {
    const named = await nameOf(tx, row)
    if (typeof named !== 'string') return refused([named])
    const device_user_reference = row.device_user_reference?.trim() || undefined
    const device = await attempt(tx, async () => {
      const waiting = await waitingWithinReach(context, tx, named)
      return decide(context, tx, waiting, { decision, device_user_reference })
    })
    return { outcome: 'decided', device: toResponse(device, mayKnowHolds(context.caller.access)), faults: [] }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { ...refused(error.faults), ...(error.faults.length === 0 && { problem: error.code }) }
  }
}

const refused = (faults: readonly Fault[]): Result => ({
  outcome: 'refused',
  device: null,
  faults: [...faults],
})

/** Finds the device of a row by reference, else by the serial number of exactly one waiting device. */
async function nameOf(tx: Tx, row: HolderRow): Promise<string | Fault> {
  const device_reference = row.device_reference?.trim()
  if (device_reference) return device_reference
  const serial_number = row.serial_number?.trim()
  if (!serial_number) return fault('serial_number', 'required', { field: 'serial_number' })
  const [only, ...others] = await findWaitingBySerial(tx, serial_number)
  if (only === undefined) return fault('serial_number', 'unknown_reference', { value: serial_number })
  return others.length === 0 ? only : fault('serial_number', 'ambiguous_serial_number')
}
