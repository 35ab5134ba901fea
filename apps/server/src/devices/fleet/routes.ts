import type { DeviceHistory } from '@custodia/contract'
import { searchWords } from '@custodia/domain'
import { mayKnowHolds } from '../../access/holds.ts'
import { findUser } from '../../device-users/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler, Handlers, PortalContext } from '../../http/context.ts'
import { pageByName } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { blockDevice, deactivateDevice, deleteDevice, unblockDevice } from './change-device.ts'
import { confirmHolder } from './confirm-holder.ts'
import { decideHolders, reviewHolders } from './decide-holders.ts'
import {
  countDevices,
  type DeviceFilter,
  type DeviceRecord,
  findListedDevice,
  listDevices as readDevices,
  readHistory,
  toResponse,
} from './fleet-store.ts'
import { readDeviceNumbers, readNumbersOfUser } from './numbers.ts'
import { type SearchNumber, searchNumber } from './search-number.ts'

type Rows =
  | 'listDevices'
  | 'listDevicesOfUser'
  | 'readDevice'
  | 'readDeviceHistory'
  | 'deactivateDevice'
  | 'blockDevice'
  | 'unblockDevice'
  | 'deleteDevice'
  | 'readDeviceNumbers'
  | 'readNumbersOfUser'
  | 'confirmDeviceHolder'
  | 'decideDeviceHolders'
  | 'reviewDeviceHolders'

/** Device routes of the portal. */
export const fleetRoutes = (ctx: Pick<AppContext, 'cursors' | 'jobs'>): Handlers<Rows> => ({
  listDevices: listDevices(ctx),
  listDevicesOfUser: listDevicesOfUser(ctx),
  readDevice,
  readDeviceHistory,
  deactivateDevice,
  blockDevice,
  unblockDevice,
  deleteDevice,
  confirmDeviceHolder: confirmHolder(ctx),
  readDeviceNumbers,
  readNumbersOfUser,
  decideDeviceHolders: decideHolders(ctx),
  reviewDeviceHolders: reviewHolders,
})

/** Lists devices in the caller's groups by reference, or counts them. */
function listDevices({ cursors }: Pick<AppContext, 'cursors'>): Handler<'listDevices'> {
  return async (context, { query }) => {
    const { access, client_id } = context.caller
    const { limit: _limit, last_key: _key, type, search, number, client: _client, ...narrowed } = query
    const filter: DeviceFilter = {
      ...narrowed,
      reach: query.is_held === undefined || mayKnowHolds(access) ? access.groups('devices:list') : [],
      search: search === undefined ? undefined : searchedIn(search),
      number: number === undefined ? undefined : (searchNumber(number) ?? NO_NUMBER),
      now: context.now,
    }
    if (type === 'total') return { total: await context.readFromReplica((q) => countDevices(q, filter)) }
    return pageByName(
      cursors,
      { name: 'devices', client_id, query },
      (after, limit) =>
        context.readFromReplica((q) => resultOf(q, filter, { after, limit }, mayKnowHolds(access))),
      ({ device_reference }) => device_reference,
    )
  }
}

/** Lists the devices of a user. */
function listDevicesOfUser({ cursors }: Pick<AppContext, 'cursors'>): Handler<'listDevicesOfUser'> {
  return async (context, { params: { device_user_reference }, query }) => {
    const { access, client_id } = context.caller
    const user = await context.read((q) => findUser(q, device_user_reference))
    if (!user || !access.permits('users.devices:list', user))
      throw new Problem('not_found', { detail: 'no such device user' })
    const { device_user_id } = user
    const filter = { reach: access.groups('users.devices:list'), device_user_id, now: context.now }
    if (query.type === 'total')
      return { total: await context.readFromReplica((q) => countDevices(q, filter)) }
    return pageByName(
      cursors,
      { name: `users/${device_user_reference}/devices`, client_id, query },
      (after, limit) =>
        context.readFromReplica((q) => resultOf(q, filter, { after, limit }, mayKnowHolds(access))),
      ({ device_reference }) => device_reference,
    )
  }
}

const resultOf = async (
  q: Queryable,
  filter: DeviceFilter,
  page: { after: string; limit: number },
  knows_holds: boolean,
) => (await readDevices(q, filter, page)).map((device) => toResponse(device, knows_holds))

const searchedIn = (search: string) => ({
  text: search.trim().toLowerCase(),
  number: searchNumber(search),
  words: searchWords(search),
})

/** A search text without a number matches nothing. */
const NO_NUMBER: SearchNumber = { lows: [], highs: [] }

const readDevice: Handler<'readDevice'> = async (context, { params }) =>
  toResponse(
    await readWithin(context, 'devices:read', params.device_reference),
    mayKnowHolds(context.caller.access),
  )

/** Holder periods of a device. Periods outside the caller's groups are only counted. */
const readDeviceHistory: Handler<'readDeviceHistory'> = async (context, { params: { device_reference } }) => {
  const { access } = context.caller
  const { device_id } = await readWithin(context, 'devices.history:read', device_reference)
  const periods = await context.read((q) => readHistory(q, device_id))
  const history = periods.map(({ group_id, ...period }): DeviceHistory['history'][number] =>
    access.permits('devices.history:read', { group_id })
      ? period
      : { ...period, device_user_reference: null, group: null },
  )
  return { device_reference, history }
}

async function readWithin(
  { caller, read }: PortalContext,
  action: 'devices:read' | 'devices.history:read',
  device_reference: string,
): Promise<DeviceRecord> {
  const device = await read((q) => findListedDevice(q, device_reference))
  if (!device || !caller.access.permits(action, device))
    throw new Problem('not_found', { detail: 'no such device' })
  return device
}
