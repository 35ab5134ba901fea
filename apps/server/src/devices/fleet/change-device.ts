import type { Device } from '@custodia/contract'
import { assertFree, mayKnowHolds } from '../../access/holds.ts'
import { actorOf, type Handler, type PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { lockDeviceAgainstHolds } from '../../held-records/store.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { hideDevices } from '../../device-records/store.ts'
import { endTokens } from '../../device-records/token-store.ts'
import { type DeviceRecord, findListedDevice, markDevice, toResponse } from './fleet-store.ts'

type Action = 'devices:deactivate' | 'devices:block' | 'devices:unblock' | 'devices:delete'
type Marks = Parameters<typeof markDevice>[2]

/** Ends the tokens of a device until it authenticates again. Idempotent. */
export const deactivateDevice: Handler<'deactivateDevice'> = (context, { params }) =>
  change(context, 'devices:deactivate', params, (device) =>
    device.is_deactivated ? undefined : deactivationMarks(device, context.now),
  )

/** Blocks a lost or stolen device: ends its tokens and refuses it until an administrator unblocks it. Idempotent. */
export const blockDevice: Handler<'blockDevice'> = (context, { params }) =>
  change(context, 'devices:block', params, (device) =>
    device.blocked_at === null
      ? {
          ...deactivationMarks(device, context.now),
          blocked_at: context.now,
          blocked_by: actorOf(context.caller),
        }
      : undefined,
  )

/** Unblocks a device; it stays deactivated until it authenticates again. */
export const unblockDevice: Handler<'unblockDevice'> = (context, { params }) =>
  change(context, 'devices:unblock', params, (device) =>
    device.blocked_at === null ? undefined : { blocked_at: null, blocked_by: null },
  )

/** Deactivates and hides a device. Its reference, payloads and block remain. Problems: not_found, held, wrong_state. */
export const deleteDevice: Handler<'deleteDevice'> = async (context, { params }) => {
  await context.write(async (tx) => {
    // Holds lock before the device, in the same order as placing a hold.
    const holds = await lockDeviceAgainstHolds(tx, params.device_reference)
    const device = await deviceWithinReach(context, tx, 'devices:delete', params.device_reference)
    await assertFree(context, holds)
    const by = { updated_at: context.now, updated_by: actorOf(context.caller) }
    await hideDevices(tx, [device.device_id], by)
  })
  return {}
}

/** Keeps the first deactivation date. */
const deactivationMarks = ({ deactivation_date }: DeviceRecord, now: number): Marks => ({
  is_deactivated: true,
  deactivation_date: deactivation_date ?? now,
})

/** @param marksOf returns the changed marks, or undefined without a change */
function change(
  context: PortalContext,
  action: Action,
  { device_reference }: { device_reference: string },
  marksOf: (device: DeviceRecord) => Marks | undefined,
): Promise<Device> {
  return context.write(async (tx) => {
    const device = await deviceWithinReach(context, tx, action, device_reference)
    const marks = marksOf(device)
    const knows_holds = mayKnowHolds(context.caller.access)
    if (!marks) return toResponse(device, knows_holds)
    await mark(context, tx, device, marks)
    const stored = await findListedDevice(tx, device_reference)
    if (!stored) throw new Error('the device does not exist')
    return toResponse(stored, knows_holds)
  })
}

async function mark(
  { now, caller }: PortalContext,
  tx: Tx,
  { device_id }: DeviceRecord,
  marks: Marks,
): Promise<void> {
  await markDevice(tx, device_id, marks, { updated_at: now, updated_by: actorOf(caller) })
  // A new authentication must not make a stolen token valid.
  await endTokens(tx, device_id)
}

/** Problem: not_found, also outside the caller's groups. */
async function deviceWithinReach(
  { caller }: PortalContext,
  tx: Tx,
  action: Action,
  device_reference: string,
): Promise<DeviceRecord> {
  const device = await findListedDevice(tx, device_reference, true)
  if (!device || !caller.access.permits(action, device))
    throw new Problem('not_found', { detail: 'no such device' })
  return device
}
