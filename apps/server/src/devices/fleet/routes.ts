import {
  type Answer,
  type Api,
  type Device,
  type DeviceHistory,
  fault,
  FILTER_LIMIT,
  type Fault,
  type HandlerInput,
  type HolderDecision,
  HOLDER_MATCH_LIMIT,
  type HolderRow,
  type HoldersAnswer,
  type NumberPeriod,
  type Page,
  type Total,
} from '@custodia/contract'
import { searchWords } from '@custodia/domain'
import { mayKnowHolds } from '../../access/holds.ts'
import type { AppContext } from '../../app-context.ts'
import {
  deviceNames,
  personNames,
  type SearchNumber,
  searchNumber,
  withOwnerNames,
} from '../../device-records/names-store.ts'
import { findUser } from '../../device-users/store.ts'
import { getActor, type Handler, type PortalContext } from '../../http/context.ts'
import { pageBySort } from '../../http/page.ts'
import { Problem, withinReach } from '../../http/problem.ts'
import { attempt, type Queryable, rehearse, type Tx } from '../../ports/database/lease.ts'
import { reassignDevices } from '../reassign.ts'
import {
  blockDevice,
  confirmHolder,
  deactivateDevice,
  decide,
  deleteDevice,
  unblockDevice,
  waitingWithinReach,
} from './confirm-holder.ts'
import { findWaitingBySerial } from './confirm-store.ts'
import {
  type DeviceFilter,
  type DeviceRecord,
  type Period,
  countDevices,
  endAccess,
  findHolders,
  findListedDevice,
  listDevices as readDevices,
  lockDevices,
  readHistory,
  readNumbers,
  toResponse,
} from './fleet-store.ts'

type Result = HoldersAnswer['rows'][number]

/** Decides waiting devices one by one; a refused row does not affect the others. */
export const decideHolders =
  (ctx: Pick<AppContext, 'jobs'>): Handler<'decideDeviceHolders'> =>
  (context, input) =>
    context.write(async (tx) => {
      const answer = await decideRows(context, tx, input)
      await ctx.jobs.send(tx, reassignDevices, {})
      context.noteFacts({ devices: answer.rows.filter(({ outcome }) => outcome === 'decided').length })
      return answer
    })

/** Reverts the decisions. */
export const reviewHolders: Handler<'reviewDeviceHolders'> = (context, input) =>
  context.write((tx) => rehearse(tx, () => decideRows(context, tx, input)))

async function decideRows(
  context: PortalContext,
  tx: Tx,
  {
    query: { client: _client, ...filters },
    body: { decision, rows },
  }: Pick<HandlerInput<Api['decideDeviceHolders']>, 'query' | 'body'>,
): Promise<HoldersAnswer> {
  const matching = rows
    ? []
    : await lockDevices(tx, { ...getFilter(context, filters), is_waiting: true }, HOLDER_MATCH_LIMIT + 1)
  const result: Result[] = []
  for (const row of rows ?? matching.slice(0, HOLDER_MATCH_LIMIT))
    result.push(await decideRow(context, tx, { decision, row }))
  return { rows: result, is_cut: matching.length > result.length }
}

async function decideRow(
  context: PortalContext,
  tx: Tx,
  { decision, row }: { decision: HolderDecision; row: HolderRow },
): Promise<Result> {
  try {
    const named = await getName(tx, row)
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
async function getName(tx: Tx, row: HolderRow): Promise<string | Fault> {
  const device_reference = row.device_reference?.trim()
  if (device_reference) return device_reference
  const serial_number = row.serial_number?.trim()
  if (!serial_number) return fault('serial_number', 'required', { field: 'serial_number' })
  const [only, ...others] = await findWaitingBySerial(tx, serial_number)
  if (only === undefined) return fault('serial_number', 'unknown_reference', { value: serial_number })
  return others.length === 0 ? only : fault('serial_number', 'ambiguous_serial_number')
}

/** Numbers of a device over time, with their holders. */
const readDeviceNumbers: Handler<'readDeviceNumbers'> = (context, { params }) =>
  context.read(async (q) => {
    const device = withinReach(context, await findListedDevice(q, params.device_reference))
    return { numbers: await seenPeriods(q, context, await readNumbers(q, { device_id: device.device_id })) }
  })

/** Numbers of a user over time, across devices. */
const readNumbersOfUser: Handler<'readNumbersOfUser'> = (context, { params }) =>
  context.read(async (q) => {
    const { device_user_id } = withinReach(context, await findUser(q, params.device_user_reference))
    return { numbers: await seenPeriods(q, context, await readNumbers(q, { device_user_id })) }
  })

/** The periods in groups within the caller's reach, with the names of their owners. */
const seenPeriods = (
  q: Queryable,
  { caller: { access }, action }: PortalContext,
  periods: readonly Period[],
): Promise<NumberPeriod[]> =>
  withOwnerNames<NumberPeriod>(
    q,
    access,
    periods.flatMap(({ group_id, ...period }) => (access.permits(action, { group_id }) ? [period] : [])),
  )

/** Device routes of the portal. */
export const fleetRoutes = (ctx: Pick<AppContext, 'cursors' | 'jobs'>) => ({
  listDevices: listDevices(ctx),
  listDevicesOfUser: listDevicesOfUser(ctx),
  readDevice,
  readDeviceHistory,
  deactivateDevice,
  deactivateDevices,
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
function listDevices(ctx: Pick<AppContext, 'cursors'>): Handler<'listDevices'> {
  return (context, { query }) => {
    const { limit: _limit, last_key: _key, type: _type, client: _client, sort: _sort, ...filters } = query
    return listed(ctx, context, 'devices', query, getFilter(context, filters))
  }
}

/** The devices that the caller may list and that match the filters. */
export function getFilter(
  { caller: { access }, now }: PortalContext,
  { search, number, ...filters }: Omit<HandlerInput<Api['sendCommands']>['query'], 'client'>,
): DeviceFilter {
  return {
    ...filters,
    reach: filters.is_held === undefined || mayKnowHolds(access) ? access.groups('devices:list') : [],
    search: search === undefined ? undefined : searchedIn(search),
    number: number === undefined ? undefined : (searchNumber(number) ?? NO_NUMBER),
    now,
  }
}

type SetStatus = Answer<Api['deactivateDevices']>['data'][number]['status']

/**
 * Locks these devices, or those that match the filters.
 * @returns the devices for which the caller has all actions, and the outcome of each one that the caller may list
 */
export async function lockSet(
  context: PortalContext,
  tx: Tx,
  {
    query: { client: _client, ...filters },
    body: { device_references },
  }: Pick<HandlerInput<Api['deactivateDevices']>, 'query' | 'body'>,
  actions: readonly string[],
): Promise<{
  permitted: Awaited<ReturnType<typeof lockDevices>>
  outcomes: Answer<Api['deactivateDevices']>
}> {
  const { access } = context.caller
  const filter = getFilter(context, device_references ? {} : filters)
  const matching = await lockDevices(tx, { ...filter, references: device_references }, FILTER_LIMIT + 1)
  const devices = matching.slice(0, FILTER_LIMIT)
  const permitted = devices.filter((device) => actions.every((action) => access.permits(action, device)))
  const statuses = new Map<string, SetStatus>(
    devices.map(({ device_reference }) => [device_reference, 'NotPermitted']),
  )
  for (const { device_reference } of permitted) statuses.set(device_reference, 'Ok')
  const data = (device_references ?? [...statuses.keys()]).map((device_reference) => ({
    device_reference,
    status: statuses.get(device_reference) ?? 'NoMatchingRecord',
  }))
  return {
    permitted,
    outcomes: { data: await withOwnerNames(tx, access, data), is_cut: matching.length > devices.length },
  }
}

/** The holders of these devices, or of those that match the filters, at most `limit`, and the devices without one. */
export async function holdersOfDevices(
  context: PortalContext,
  q: Queryable,
  {
    query: { client: _client, ...filters },
    body: { device_references },
  }: Pick<HandlerInput<Api['holdMatterDevices']>, 'query' | 'body'>,
  limit: number,
): Promise<{ users: string[]; devices: number; without_user: number }> {
  const filter = getFilter(context, device_references ? {} : filters)
  const found = await findHolders(q, { ...filter, references: device_references }, limit + 1)
  return {
    users: found.flatMap(({ device_user_reference }) => device_user_reference ?? []),
    devices: found.reduce((sum, { devices }) => sum + devices, 0),
    without_user: found.find(({ device_user_reference }) => device_user_reference === null)?.devices ?? 0,
  }
}

/** Ends the tokens of these devices, or of those that match the filters. Idempotent. */
const deactivateDevices: Handler<'deactivateDevices'> = (context, input) =>
  context.write(async (tx) => {
    const { permitted, outcomes } = await lockSet(context, tx, input, [context.action])
    const by = { updated_at: context.now, updated_by: getActor(context.caller) }
    await endAccess(
      tx,
      permitted.map(({ device_id }) => device_id),
      by,
    )
    context.noteFacts({ devices: permitted.length })
    return outcomes
  })

function listDevicesOfUser(ctx: Pick<AppContext, 'cursors'>): Handler<'listDevicesOfUser'> {
  return async (context, { params: { device_user_reference }, query }) => {
    const user = await context.read((q) => findUser(q, device_user_reference))
    const { device_user_id } = withinReach(context, user)
    const reach = context.caller.access.groups(context.action)
    const name = `users/${device_user_reference}/devices`
    return listed(ctx, context, name, query, { reach, device_user_id, now: context.now })
  }
}

function listed(
  { cursors }: Pick<AppContext, 'cursors'>,
  { caller: { access, client_id }, readFromReplica }: PortalContext,
  name: string,
  query: { type: 'page' | 'total'; limit: number; last_key?: string | undefined; sort?: string | undefined },
  filter: DeviceFilter,
): Promise<Page<Device> | Total> {
  if (query.type === 'total') return readFromReplica(async (q) => ({ total: await countDevices(q, filter) }))
  const knows_holds = mayKnowHolds(access)
  const { sort } = query
  return pageBySort(
    cursors,
    { name, client_id, query },
    (from, limit) =>
      readFromReplica(async (q) => withNames(q, access, await readDevices(q, filter, { sort, from, limit }))),
    ({ sort_value, ...device }) => ({
      key: [sort_value, device.device_reference],
      row: toResponse(device, knows_holds),
    }),
  )
}

const searchedIn = (search: string) => ({
  text: search.trim().toLowerCase(),
  number: searchNumber(search),
  words: searchWords(search),
})

/** A search text without a number matches nothing. */
const NO_NUMBER: SearchNumber = { lows: [], highs: [], starts: [] }

const readDevice: Handler<'readDevice'> = async (context, { params }) => {
  const { access } = context.caller
  const found = await readWithin(context, params.device_reference)
  const [device = found] = await context.read((q) => withNames(q, access, [found]))
  return toResponse(device, mayKnowHolds(access))
}

/** Adds the names of reported holders and of devices with the same hardware, as far as the reader may see them. */
async function withNames<Row extends DeviceRecord>(
  q: Queryable,
  access: PortalContext['caller']['access'],
  rows: readonly Row[],
): Promise<Row[]> {
  const references = (field: 'requested_user_reference' | 'same_hardware_as') =>
    rows.flatMap((row) => row[field] ?? [])
  const people = await personNames(q, access, references('requested_user_reference'))
  const devices = await deviceNames(q, access, references('same_hardware_as'))
  return rows.map((row) => {
    const requested_user_name = people.get(row.requested_user_reference ?? '')
    const same_hardware_name = devices.get(row.same_hardware_as ?? '')?.name
    return {
      ...row,
      ...(requested_user_name !== undefined && { requested_user_name }),
      ...(same_hardware_name !== undefined && { same_hardware_name }),
    }
  })
}

/** Holder periods of a device. Periods outside the caller's groups are only counted. */
const readDeviceHistory: Handler<'readDeviceHistory'> = async (context, { params: { device_reference } }) => {
  const { access } = context.caller
  const { device_id } = await readWithin(context, device_reference)
  const periods = await context.read((q) => readHistory(q, device_id))
  const history = periods.map(({ group_id, ...period }): DeviceHistory['history'][number] =>
    access.permits(context.action, { group_id })
      ? period
      : { ...period, device_user_reference: null, group: null },
  )
  return { device_reference, history: await context.read((q) => withOwnerNames(q, access, history)) }
}

const readWithin = async (context: PortalContext, device_reference: string): Promise<DeviceRecord> =>
  withinReach(context, await context.read((q) => findListedDevice(q, device_reference)))
