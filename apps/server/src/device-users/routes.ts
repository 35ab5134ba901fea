import type { DeviceUser } from '@custodia/contract'
import { assertFree, mayKnowHolds } from '../access/holds.ts'
import type { AppContext } from '../app-context.ts'
import { lockUserAgainstHolds } from '../held-records/store.ts'
import type { Handler, PortalContext } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { pageBySort } from '../http/page.ts'
import { withinReach } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { changeDeviceUsers, reviewDeviceUserChanges } from './change-users.ts'
import { importDeviceUsers, reviewDeviceUserImport } from './import.ts'
import { getAuthorship, getDates, saveUsers, type UserToSave } from './save-users.ts'
import { readQueue } from './status-store.ts'
import {
  countUsers,
  findUser,
  hideUsers,
  listUsers,
  toResponse,
  updateUsers,
  getUserFilter,
} from './store.ts'

/** Adds and onboards a device user. */
const createDeviceUser: Handler<'createDeviceUser'> = (
  context,
  { params: { device_user_reference }, body },
) =>
  context.write(async (tx) => {
    await saveUser(context, tx, { device_user_reference, body })
    return readSaved(context, tx, device_user_reference)
  })

/** Replaces a device user: group, services, names; offboards or onboards them. */
const updateDeviceUser: Handler<'updateDeviceUser'> = (
  context,
  { params: { device_user_reference }, body },
) =>
  context.write(async (tx) => {
    const known = await userWithinReach(context, tx, device_user_reference)
    assertUnchanged(context, known.version)
    await saveUser(context, tx, { device_user_reference, body, known })
    return readSaved(context, tx, device_user_reference)
  })

/**
 * Offboards and hides a device user; the reference stays reserved. Problems: not_found, changed_meanwhile, held,
 * wrong_state.
 */
const deleteDeviceUser: Handler<'deleteDeviceUser'> = async (
  context,
  { params: { device_user_reference } },
) => {
  await context.write(async (tx) => {
    // Holds lock before the user, in the same order as placing a hold.
    const holds = await lockUserAgainstHolds(tx, device_user_reference)
    const known = await userWithinReach(context, tx, device_user_reference)
    assertUnchanged(context, known.version)
    await assertFree(context, holds)
    const { device_user_id } = known
    await updateUsers(
      tx,
      [{ ...known, ...getDates({ is_active: false }, context.now, known) }],
      getAuthorship(context),
    )
    await hideUsers(tx, [device_user_id], getAuthorship(context))
  })
  return {}
}

async function saveUser(context: PortalContext, tx: Tx, user: UserToSave): Promise<void> {
  const [problem] = await saveUsers(context, tx, [user])
  if (problem) throw problem
}

/** Locks a user. Problems: as `refusalOf`. */
const userWithinReach = async (context: PortalContext, tx: Tx, device_user_reference: string) =>
  withinReach(context, await findUser(tx, device_user_reference, true), 'users')

async function readSaved(
  { caller }: PortalContext,
  tx: Tx,
  device_user_reference: string,
): Promise<DeviceUser> {
  const stored = await findUser(tx, device_user_reference)
  if (!stored) throw new Error('the device user was not stored')
  return toResponse(stored, mayKnowHolds(caller.access))
}

/** Pending payloads on a user's devices; payloads and devices of other groups are left out. */
const readUserQueue: Handler<'readUserQueue'> = async (context, { params }) => {
  const { access } = context.caller
  const user = await context.read((q) => findUser(q, params.device_user_reference))
  const { device_user_id } = withinReach(context, user)
  const devices = await context.read((q) =>
    readQueue(q, { device_user_id, reach: access.groups('users.queue:read') }),
  )
  return { devices, is_empty: devices.every(({ waiting, is_unseen }) => waiting === 0 && !is_unseen) }
}

/** Device user routes. */
export const deviceUserRoutes = (ctx: Pick<AppContext, 'cursors'>) => ({
  listDeviceUsers: listDeviceUsers(ctx),
  readDeviceUser,
  createDeviceUser,
  updateDeviceUser,
  deleteDeviceUser,
  changeDeviceUsers,
  reviewDeviceUserChanges,
  importDeviceUsers,
  reviewDeviceUserImport,
  readUserQueue,
})

/** Lists device users in the caller's groups by reference, or counts them. */
function listDeviceUsers(ctx: Pick<AppContext, 'cursors'>): Handler<'listDeviceUsers'> {
  return async (context, { query }) => {
    const { access, client_id } = context.caller
    const { limit: _limit, last_key: _key, type, client: _client, sort, ...filters } = query
    const filter = getUserFilter(access, filters)
    if (type === 'total') return { total: await context.readFromReplica((q) => countUsers(q, filter)) }
    const knows_holds = mayKnowHolds(access)
    return pageBySort(
      ctx.cursors,
      { name: 'users', client_id, query },
      (from, limit) => context.readFromReplica((q) => listUsers(q, filter, { sort, from, limit })),
      ({ sort_value, ...user }) => ({
        key: [sort_value, user.device_user_reference],
        row: toResponse(user, knows_holds),
      }),
    )
  }
}

const readDeviceUser: Handler<'readDeviceUser'> = async (context, { params }) => {
  const user = await context.read((q) => findUser(q, params.device_user_reference))
  return toResponse(withinReach(context, user), mayKnowHolds(context.caller.access))
}
