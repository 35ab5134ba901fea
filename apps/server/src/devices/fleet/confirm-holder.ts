import { type DecideHolderBody, type Device, fault } from '@custodia/contract'
import { assertFree, mayKnowHolds } from '../../access/holds.ts'
import { assertPermitted } from '../../access/impact.ts'
import { previewMoveImpact } from '../../access/move-impact.ts'
import type { AppContext } from '../../app-context.ts'
import { hideDevices, type Holder, readDefaultGroup } from '../../device-records/store.ts'
import { endTokens } from '../../device-records/token-store.ts'
import { findUser } from '../../device-users/store.ts'
import { namesOfGroups } from '../../groups/store.ts'
import { lockDeviceAgainstHolds } from '../../held-records/store.ts'
import { getActor, type Handler, type PortalContext } from '../../http/context.ts'
import { Problem, withinReach } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { grantedServices, unlicensedServices } from '../identify-device.ts'
import { readReservedGroup, replaceDevice } from '../identity-store.ts'
import { reassignDevices } from '../reassign.ts'
import {
  type ChangeStamp,
  type WaitingDevice,
  endWaiting,
  findWaitingDevice,
  insertReassignment,
  readHolder,
  reassignHistory,
} from './confirm-store.ts'
import { type DeviceRecord, findListedDevice, markDevice, toResponse } from './fleet-store.ts'

type Marks = Parameters<typeof markDevice>[2]

/** Ends the tokens of a device until it authenticates again. Idempotent. */
export const deactivateDevice: Handler<'deactivateDevice'> = (context, { params }) =>
  change(context, params, (device) =>
    device.is_deactivated ? undefined : deactivationMarks(device, context.now),
  )

/** Blocks a lost or stolen device: ends its tokens and refuses it until an administrator unblocks it. Idempotent. */
export const blockDevice: Handler<'blockDevice'> = (context, { params }) =>
  change(context, params, (device) =>
    device.blocked_at === null
      ? {
          ...deactivationMarks(device, context.now),
          blocked_at: context.now,
          blocked_by: getActor(context.caller),
        }
      : undefined,
  )

/** Unblocks a device; it stays deactivated until it authenticates again. */
export const unblockDevice: Handler<'unblockDevice'> = (context, { params }) =>
  change(context, params, (device) =>
    device.blocked_at === null ? undefined : { blocked_at: null, blocked_by: null },
  )

/** Deactivates and hides a device. Its reference, payloads and block remain. Problems: not_found, held, wrong_state. */
export const deleteDevice: Handler<'deleteDevice'> = async (context, { params }) => {
  await context.write(async (tx) => {
    // Holds lock before the device, in the same order as placing a hold.
    const holds = await lockDeviceAgainstHolds(tx, params.device_reference)
    const device = await deviceWithinReach(context, tx, params.device_reference)
    await assertFree(context, holds)
    const by = { updated_at: context.now, updated_by: getActor(context.caller) }
    await hideDevices(tx, [device.device_id], by)
  })
  return {}
}

/** Keeps the first deactivation date. */
const deactivationMarks = ({ deactivation_date }: DeviceRecord, now: number): Marks => ({
  is_deactivated: true,
  deactivation_date: deactivation_date ?? now,
})

/** @param getMarks returns the changed marks, or undefined without a change */
function change(
  context: PortalContext,
  { device_reference }: { device_reference: string },
  getMarks: (device: DeviceRecord) => Marks | undefined,
): Promise<Device> {
  return context.write(async (tx) => {
    const device = await deviceWithinReach(context, tx, device_reference)
    const marks = getMarks(device)
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
  await markDevice(tx, device_id, marks, { updated_at: now, updated_by: getActor(caller) })
  // A new authentication must not make a stolen token valid.
  await endTokens(tx, [device_id])
}

/** Locks a device. Problems: as `refusalOf`. */
const deviceWithinReach = async (context: PortalContext, tx: Tx, device_reference: string) =>
  withinReach(context, await findListedDevice(tx, device_reference, true), 'devices')

/** Confirms, reassigns or refuses a waiting device. Problems as in `decide`. */
export const confirmHolder =
  (ctx: Pick<AppContext, 'jobs'>): Handler<'confirmDeviceHolder'> =>
  (context, { params: { device_reference }, body }) =>
    context.write(async (tx): Promise<Device> => {
      const device = await waitingWithinReach(context, tx, device_reference)
      const decided = await decide(context, tx, device, body)
      await ctx.jobs.send(tx, reassignDevices, {})
      return toResponse(decided, mayKnowHolds(context.caller.access))
    })

/**
 * Locks the waiting device until the transaction ends. Problems: not_found; changed_meanwhile when it does not wait.
 */
export async function waitingWithinReach(
  context: PortalContext,
  tx: Tx,
  device_reference: string,
): Promise<WaitingDevice> {
  const device = withinReach(context, await findWaitingDevice(tx, device_reference), 'devices')
  if (device.waiting_since === null || device.blocked_at !== null)
    throw new Problem('changed_meanwhile', { detail: 'the device does not wait for confirmation' })
  return device
}

/**
 * Assigns the waiting device to a user or refuses it. The caller starts the job `devices.reassign` for its payloads.
 * Problems: invalid_input, escalation.
 */
export async function decide(
  context: PortalContext,
  tx: Tx,
  device: WaitingDevice,
  body: DecideHolderBody,
): Promise<DeviceRecord> {
  const { device_id, device_reference } = device
  const by = { updated_at: context.now, updated_by: getActor(context.caller) }
  const isRefused = body.decision === 'reject'
  // The blocked device keeps waiting; an administrator decides again after unblocking it.
  if (isRefused && !hasFormerHolder(device)) await refuseDevice(tx, device, by)
  else {
    const holder = isRefused
      ? await holderBefore(tx, device)
      : await confirmedHolder(context, tx, device, body)
    await giveTo(tx, device, holder, { ...by, is_itself: !isRefused })
  }
  const stored = await findListedDevice(tx, device_reference)
  if (!stored) throw new Error(`device ${device_id} does not exist`)
  return stored
}

async function giveTo(
  tx: Tx,
  device: WaitingDevice,
  holder: Holder,
  { is_itself, ...by }: ChangeStamp & { is_itself: boolean },
): Promise<void> {
  const { device_id, device_reference, same_hardware_as } = device
  const now = by.updated_at
  const granted = await grantedServices(tx, holder, device)
  const unlicensed_services = await unlicensedServices(tx, {
    device_reference,
    known: device,
    holder,
    granted,
    now,
  })
  await endWaiting(tx, device, { ...holder, unlicensed_services, is_itself }, by)
  if (is_itself && same_hardware_as !== null) {
    await replaceDevice(tx, same_hardware_as, device_id, by)
    await endTokens(tx, [same_hardware_as])
  }
  await reassignHistory(tx, device_id, await readReservedGroup(tx), holder)
  await insertReassignment(tx, { device_id, at: now, by: by.updated_by })
}

/**
 * Returns the decided, requested, claimed or former holder, in this order; null without one. The decision grants no
 * rights over the payloads.
 */
async function confirmedHolder(
  context: PortalContext,
  tx: Tx,
  device: WaitingDevice,
  { device_user_reference = device.requested_user_reference ?? undefined }: DecideHolderBody,
): Promise<Holder> {
  const holder = await getHolder(context, tx, device, device_user_reference)
  const { group_id } = holder
  const [group_reference = ''] = await namesOfGroups(tx, [group_id])
  await assertPermitted(
    context,
    tx,
    previewMoveImpact(context.caller, device, { group_id, group_reference }),
    {
      what: { text: 'escalated_by_confirmation', name: device.device_reference },
      confirm_lockout: undefined,
    },
  )
  return holder
}

async function getHolder(
  { caller, action }: PortalContext,
  tx: Tx,
  { holder_of_other, previous_user_id }: WaitingDevice,
  device_user_reference: string | undefined,
): Promise<Holder> {
  if (device_user_reference !== undefined) {
    const user = await findUser(tx, device_user_reference)
    if (!user || !caller.access.permits(action, user))
      throw new Problem('invalid_input', {
        faults: [fault('device_user_reference', 'unknown_reference', { value: device_user_reference })],
      })
    return { device_user_id: user.device_user_id, group_id: user.group_id }
  }
  const held_by = holder_of_other ?? previous_user_id
  const holder = held_by === null ? undefined : await readHolder(tx, held_by)
  return holder ?? { device_user_id: null, group_id: await readDefaultGroup(tx) }
}

/** Whether a known device requested another holder. The server refuses a new device from now on. */
const hasFormerHolder = ({ previous_group_id }: WaitingDevice): boolean => previous_group_id !== null

/** The former holder, who may have moved or left since. */
async function holderBefore(tx: Tx, { previous_user_id, previous_group_id }: WaitingDevice): Promise<Holder> {
  const holder = previous_user_id === null ? undefined : await readHolder(tx, previous_user_id)
  return holder ?? { device_user_id: null, group_id: previous_group_id ?? (await readDefaultGroup(tx)) }
}

/** Its payloads stay in the reserved group. */
async function refuseDevice(tx: Tx, { device_id }: WaitingDevice, by: ChangeStamp): Promise<void> {
  const marks = {
    is_deactivated: true,
    deactivation_date: by.updated_at,
    blocked_at: by.updated_at,
    blocked_by: by.updated_by,
  }
  await markDevice(tx, device_id, marks, by)
  await endTokens(tx, [device_id])
}
