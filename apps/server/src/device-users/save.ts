import type { DeviceUser } from '@custodia/contract'
import { assertFree, mayKnowHolds } from '../access/holds.ts'
import type { Handler, PortalContext } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { lockUserAgainstHolds } from '../held-records/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { saveUsers } from './save-users.ts'
import { byOf, datesOf, type UserToSave } from './saved.ts'
import { type DeviceUserRecord, findUser, hideUsers, toResponse, updateUsers } from './store.ts'

/** Adds and onboards a device user. */
export const createDeviceUser: Handler<'createDeviceUser'> = (
  context,
  { params: { device_user_reference }, body },
) =>
  context.write(async (tx) => {
    await saveUser(context, tx, { device_user_reference, body })
    return readSaved(context, tx, device_user_reference)
  })

/** Replaces a device user: group, services, names; offboards or onboards them. */
export const updateDeviceUser: Handler<'updateDeviceUser'> = (
  context,
  { params: { device_user_reference }, body },
) =>
  context.write(async (tx) => {
    const known = await userWithinReach(context, tx, 'users:update', device_user_reference)
    assertUnchanged(context, known.version)
    await saveUser(context, tx, { device_user_reference, body, known })
    return readSaved(context, tx, device_user_reference)
  })

/**
 * Offboards and hides a device user; the reference stays reserved. Problems: not_found, changed_meanwhile, held,
 * wrong_state.
 */
export const deleteDeviceUser: Handler<'deleteDeviceUser'> = async (
  context,
  { params: { device_user_reference } },
) => {
  await context.write(async (tx) => {
    // Holds lock before the user, in the same order as placing a hold.
    const holds = await lockUserAgainstHolds(tx, device_user_reference)
    const known = await userWithinReach(context, tx, 'users:delete', device_user_reference)
    assertUnchanged(context, known.version)
    await assertFree(context, holds)
    const { device_user_id } = known
    await updateUsers(tx, [{ ...known, ...datesOf({ is_active: false }, context.now, known) }], byOf(context))
    await hideUsers(tx, [device_user_id], byOf(context))
  })
  return {}
}

async function saveUser(context: PortalContext, tx: Tx, user: UserToSave): Promise<void> {
  const [problem] = await saveUsers(context, tx, [user])
  if (problem) throw problem
}

/** Problem: not_found, also outside the caller's groups. */
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

async function readSaved(
  { caller }: PortalContext,
  tx: Tx,
  device_user_reference: string,
): Promise<DeviceUser> {
  const stored = await findUser(tx, device_user_reference)
  if (!stored) throw new Error('the device user was not stored')
  return toResponse(stored, mayKnowHolds(caller.access))
}
