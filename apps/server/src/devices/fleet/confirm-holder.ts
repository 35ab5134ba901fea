import { type DecideHolderBody, type Device, fault } from '@custodia/contract'
import { findUser } from '../../device-users/store.ts'
import type { House } from '../../house.ts'
import { actorOf, type Handler, type PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { readReservedGroup } from '../identity-store.ts'
import { grantedTo, unlicensedOf } from '../licensed-services.ts'
import { insertRefiling } from '../refile-store.ts'
import { refileDevices } from '../refile.ts'
import { type Holder, readDefaultGroup } from '../store.ts'
import { endTokens } from '../token-store.ts'
import {
  endWaiting,
  findWaitingDevice,
  readHolder,
  refileHistory,
  replaceDevice,
  type WaitingDevice,
} from './confirm-store.ts'
import { findListedDevice, markDevice, told } from './fleet-store.ts'

const ACTION = 'devices.holder:confirm'

/**
 * Decides about a phone that waits: it is whose it says, or somebody else's, or it is refused. It goes there at once, and what it recorded
 * meanwhile follows by a job. Problems: not_found, changed_meanwhile when it does not wait, invalid_input.
 */
export const confirmHolder =
  (house: Pick<House, 'jobs'>): Handler<'confirmDeviceHolder'> =>
  (context, { params: { device_reference }, body }) =>
    context.write(async (tx): Promise<Device> => {
      const device = await findWaitingDevice(tx, device_reference)
      if (!device || !context.caller.access.permits(ACTION, device))
        throw new Problem('not_found', { detail: 'no such device' })
      if (device.waiting_since === null)
        throw new Problem('changed_meanwhile', { detail: 'it does not wait' })
      const by = { updated_at: context.now, updated_by: actorOf(context.caller) }
      const isRefused = body.decision === 'reject'
      const holder = isRefused
        ? await holderBefore(tx, device)
        : await confirmedHolder(context, tx, device, body)
      const granted = await grantedTo(tx, holder, device)
      const unlicensed_services = await unlicensedOf(tx, {
        device_reference,
        known: device,
        holder,
        granted,
        now: context.now,
      })
      await endWaiting(tx, device, { ...holder, unlicensed_services, is_itself: !isRefused }, by)
      if (isRefused && device.group_before === null) await shutOut(tx, device, by)
      if (!isRefused && device.same_hardware_as !== null) {
        await replaceDevice(tx, device.same_hardware_as, device.device_id, by)
        await endTokens(tx, device.same_hardware_as)
      }
      await refileHistory(tx, device.device_id, await readReservedGroup(tx), holder)
      await insertRefiling(tx, { device_id: device.device_id, at: context.now, by: by.updated_by })
      await house.jobs.send(tx, refileDevices, {})
      const stored = await findListedDevice(tx, device_reference)
      if (!stored) throw new Error('the device is gone')
      return told(stored)
    })

/** The person that the decision names, else whom the phone asks for, else whoever holds the device that it says it is, else nobody. */
async function confirmedHolder(
  { caller }: PortalContext,
  tx: Tx,
  device: WaitingDevice,
  { device_user_reference }: DecideHolderBody,
): Promise<Holder> {
  if (device_user_reference !== undefined) {
    const user = await findUser(tx, device_user_reference)
    if (!user || !caller.access.permits(ACTION, user))
      throw new Problem('invalid_input', {
        faults: [fault('device_user_reference', 'unknown_reference', { value: device_user_reference })],
      })
    return { device_user_id: user.device_user_id, group_id: user.group_id }
  }
  const device_user_id = device.requested_user_id ?? device.holder_of_other
  const holder = device_user_id === null ? undefined : await readHolder(tx, device_user_id)
  return holder ?? { device_user_id: null, group_id: await readDefaultGroup(tx) }
}

/** Where it goes back to: a person may have moved meanwhile. What is new stays where it waits. */
async function holderBefore(tx: Tx, { user_before, group_before }: WaitingDevice): Promise<Holder> {
  if (group_before === null) return { device_user_id: null, group_id: await readReservedGroup(tx) }
  const holder = user_before === null ? undefined : await readHolder(tx, user_before)
  return holder ?? { device_user_id: user_before, group_id: group_before }
}

/** A phone that nobody knows: it is refused from now on, and what it brought stays where it is. */
async function shutOut(
  tx: Tx,
  { device_id }: WaitingDevice,
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  const marks = {
    is_deactivated: true,
    deactivation_date: by.updated_at,
    blocked_at: by.updated_at,
    blocked_by: by.updated_by,
  }
  await markDevice(tx, device_id, marks, by)
  await endTokens(tx, device_id)
}
