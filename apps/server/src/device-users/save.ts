import type { DeviceUser, DeviceUserInput } from '@custodia/contract'
import { assertPermitted } from '../access/assert-permitted.ts'
import { judgeMove } from '../access/judge-move.ts'
import { moveDevicesOf } from '../devices/store.ts'
import { revokeEnrolmentsOf } from '../enrolments/store.ts'
import type { Handler, PortalContext } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { addUsers } from './add.ts'
import {
  assertLicensed,
  assertOwnAddress,
  byOf,
  datesOf,
  groupWithinReach,
  readLicenses,
  savedOf,
} from './saved.ts'
import { type DeviceUserRecord, findUser, hideUser, insertUserWords, told, updateUser } from './store.ts'

/** Adds somebody and onboards them. */
export const createDeviceUser: Handler<'createDeviceUser'> = (
  context,
  { params: { device_user_reference }, body },
) =>
  context.write(async (tx) => {
    const [problem] = await addUsers(context, tx, [{ device_user_reference, body }], await readLicenses(tx))
    if (problem) throw problem
    return toldAgain(tx, device_user_reference)
  })

/** Replaces somebody: their group, services, names; offboards or onboards them. */
export const updateDeviceUser: Handler<'updateDeviceUser'> = (
  context,
  { params: { device_user_reference }, body },
) =>
  context.write(async (tx) => {
    const known = await userWithinReach(context, tx, 'users:update', device_user_reference)
    assertUnchanged(context, known.version)
    await changeUser(context, tx, known, body)
    return toldAgain(tx, device_user_reference)
  })

/**
 * Problems: invalid_input, escalation, license_exceeded.
 *
 * @param known was read for a change
 */
export async function changeUser(
  context: PortalContext,
  tx: Tx,
  known: DeviceUserRecord,
  body: DeviceUserInput,
): Promise<void> {
  const { device_user_id, device_user_reference } = known
  const group = await groupWithinReach(context, tx, 'users:update', body.group)
  const { group_id } = group
  await assertOwnAddress(tx, device_user_reference, body)
  if (group_id !== known.group_id) {
    await assertPermitted(context, tx, judgeMove(context.caller, known, group), {
      what: { text: 'escalated_by_move', name: device_user_reference },
      confirm_lockout: undefined,
    })
  }
  await updateUser(tx, device_user_id, savedOf(body, group, context.now, known), byOf(context))
  await insertUserWords(tx, [{ ...body, device_user_id, device_user_reference }])
  if (!body.is_active) await revokeEnrolmentsOf(tx, device_user_id, byOf(context))
  if (group_id !== known.group_id) await moveDevicesOf(tx, { device_user_id, group_id }, byOf(context))
  await assertLicensed(tx, known, body)
}

/** Offboards somebody and hides them: the reference stays reserved, and what was recorded keeps the name. */
export const deleteDeviceUser: Handler<'deleteDeviceUser'> = async (
  context,
  { params: { device_user_reference } },
) => {
  await context.write(async (tx) => {
    const known = await userWithinReach(context, tx, 'users:delete', device_user_reference)
    assertUnchanged(context, known.version)
    const { device_user_id, group_id } = known
    await updateUser(
      tx,
      device_user_id,
      { ...known, group_id, ...datesOf({ is_active: false }, context.now, known) },
      byOf(context),
    )
    await revokeEnrolmentsOf(tx, device_user_id, byOf(context))
    await hideUser(tx, device_user_id, byOf(context))
  })
  return {}
}

/** Problem: not_found, also where the person is beyond the caller's groups. */
async function userWithinReach(
  { caller }: PortalContext,
  tx: Tx,
  action: 'users:update' | 'users:delete',
  device_user_reference: string,
): Promise<DeviceUserRecord> {
  const user = await findUser(tx, device_user_reference, true)
  if (!user || !caller.access.permits(action, user))
    throw new Problem('not_found', { detail: 'no such device user' })
  return user
}

async function toldAgain(tx: Tx, device_user_reference: string): Promise<DeviceUser> {
  const stored = await findUser(tx, device_user_reference)
  if (!stored) throw new Error('the device user was not stored')
  return told(stored)
}
