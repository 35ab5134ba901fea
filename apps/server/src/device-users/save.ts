import { type DeviceUser, type DeviceUserInput, fault, type LicenseLimits } from '@custodia/contract'
import { assertPermitted } from '../access/assert-permitted.ts'
import { judgeMove } from '../access/judge-move.ts'
import { moveDevicesOf } from '../devices/store.ts'
import { revokeEnrolmentsOf } from '../enrolments/store.ts'
import { findGroup, type GroupRecord } from '../groups/store.ts'
import { actorOf, type Handler, type PortalContext } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { Problem } from '../http/problem.ts'
import { lockLimits, readUse } from '../licenses/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  type DeviceUserRecord,
  findNamesake,
  findUser,
  hideUser,
  insertUser,
  insertUserWords,
  type Saved,
  told,
  updateUser,
} from './store.ts'

/** Adds somebody and onboards them. */
export const createDeviceUser: Handler<'createDeviceUser'> = (
  context,
  { params: { device_user_reference }, body },
) =>
  context.write(async (tx) => {
    await addUser(context, tx, device_user_reference, body)
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
 * Problems: already_exists, invalid_input, license_exceeded.
 *
 * @param licenses as they are now: somebody new has no phone, and uses none
 */
export async function addUser(
  context: PortalContext,
  tx: Tx,
  device_user_reference: string,
  body: DeviceUserInput,
  licenses?: Licenses,
): Promise<void> {
  const group = await groupWithinReach(context, tx, 'users:create', body.group)
  await assertOwnAddress(tx, device_user_reference, body)
  const saved = savedOf(body, group, context.now)
  const device_user_id = await insertUser(tx, device_user_reference, saved, byOf(context))
  if (device_user_id === undefined) throw new Problem('already_exists')
  await insertUserWords(tx, [{ ...body, device_user_id, device_user_reference }])
  await assertLicensed(tx, undefined, body, licenses)
}

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

const byOf = ({ now, caller }: PortalContext) => ({ updated_at: now, updated_by: actorOf(caller) })

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

/** A group that the caller may not put anybody into does not exist for them. */
async function groupWithinReach(
  { caller }: PortalContext,
  tx: Tx,
  action: 'users:create' | 'users:update',
  group_reference: string,
): Promise<GroupRecord> {
  const group = await findGroup(tx, group_reference)
  if (!group || !caller.access.permits(action, group))
    throw new Problem('invalid_input', {
      faults: [fault('group', 'unknown_reference', { value: group_reference })],
    })
  return group
}

/** A phone says whose it is by an address: that of two people at once would be anybody's. */
async function assertOwnAddress(
  tx: Tx,
  device_user_reference: string,
  { email, is_active }: DeviceUserInput,
): Promise<void> {
  if (email === null || !is_active) return
  if (await findNamesake(tx, email, device_user_reference))
    throw new Problem('invalid_input', { faults: [fault('email', 'email_taken')] })
}

/** What there is, and what activated phones use. */
export interface Licenses {
  limits: LicenseLimits
  used: LicenseLimits
}

/** As of now, and until the transaction ends: nobody else sets them meanwhile. */
export async function readLicenses(tx: Tx): Promise<Licenses> {
  const { limits } = await lockLimits(tx)
  return { limits, used: await readUse(tx) }
}

/**
 * Services are assigned as far as licences go: what the person's activated phones would newly use must be left (reading-the-spec: licences).
 * Recording that has begun is never stopped by it.
 */
async function assertLicensed(
  tx: Tx,
  known: DeviceUserRecord | undefined,
  { services, is_active }: DeviceUserInput,
  licenses?: Licenses,
): Promise<void> {
  if (!is_active) return
  const had = new Set(known?.is_active ? known.services : [])
  const added = services.filter((service) => !had.has(service))
  if (added.length === 0) return
  const { limits, used } = licenses ?? (await readLicenses(tx))
  const over = added.filter((service) => limits[service] === 0 || used[service] > limits[service])
  if (over.length > 0) throw new Problem('license_exceeded', { detail: over.join(', ') })
}

/** What is stored of a save. */
function savedOf(
  { group: _group, ...input }: DeviceUserInput,
  { group_id }: GroupRecord,
  now: number,
  known?: DeviceUserRecord,
): Saved {
  return { ...input, group_id, ...datesOf(input, now, known) }
}

/** Onboarding (again) starts a time and clears its end; offboarding ends it (spec section 4). */
function datesOf(
  { is_active }: { is_active: boolean },
  now: number,
  known: DeviceUserRecord | undefined,
): Pick<Saved, 'is_active' | 'onboard_date' | 'offboard_date'> {
  const { onboard_date = null, offboard_date = null } = known ?? {}
  if (known?.is_active === is_active) return { is_active, onboard_date, offboard_date }
  return is_active
    ? { is_active, onboard_date: now, offboard_date: null }
    : { is_active, onboard_date, offboard_date: now }
}

async function toldAgain(tx: Tx, device_user_reference: string): Promise<DeviceUser> {
  const stored = await findUser(tx, device_user_reference)
  if (!stored) throw new Error('the device user was not stored')
  return told(stored)
}
