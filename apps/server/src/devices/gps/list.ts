import type { GpsPoint, Page, Total } from '@custodia/contract'
import { findUser } from '../../device-users/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Handler, PortalContext } from '../../http/context.ts'
import { listReports } from '../report-list.ts'
import { findGroupOfDevice } from '../../device-records/store.ts'
import type { DayKeys } from './day-keys.ts'
import { findKeys } from './key-store.ts'
import { heldBy, isLastOfPhone, LATEST_LIST, POINT_LIST, type SealedRow } from './point-store.ts'
import { openFix } from './sealed-point.ts'

type Parts = Pick<AppContext, 'cursors' | 'now'>

/** Positions decrypted before yielding to other requests: about 5 ms. */
const YIELD_EVERY = 500

/** Lists the last position of each device in the caller's groups, newest first. */
export const listLastPositions =
  ({ cursors, now }: Parts, dayKeys: DayKeys): Handler<'listLastPositions'> =>
  async (context, { query }) => {
    const { device_reference, device_user_reference } = query
    const action = 'gps:list'
    const page = await listReports<SealedRow>(context, {
      cursors,
      now,
      name: 'gps',
      action,
      query,
      of: LATEST_LIST,
      conditions: [
        isLastOfPhone(context.caller.access.groups(action)),
        ...(device_reference !== undefined && device_user_reference !== undefined
          ? [heldBy(device_user_reference)]
          : []),
      ],
      narrowed:
        device_reference !== undefined
          ? (q) => findGroupOfDevice(q, device_reference)
          : device_user_reference !== undefined
            ? (q) => findUser(q, device_user_reference)
            : undefined,
    })
    return decryptPage(context, dayKeys, page)
  }

/** Lists positions of a device. Problem: not_found when the caller sees neither the device nor a position. */
export const listGpsOfDevice =
  ({ cursors, now }: Parts, dayKeys: DayKeys): Handler<'listGpsOfDevice'> =>
  async (context, { params: { device_reference }, query }) =>
    decryptPage(
      context,
      dayKeys,
      await listReports<SealedRow>(context, {
        cursors,
        now,
        name: `gps of ${device_reference}`,
        action: 'devices.gps:list',
        query,
        of: POINT_LIST,
        conditions: [],
        subject: (q) => findGroupOfDevice(q, device_reference),
      }),
    )

/** Lists positions of a user's devices. Problem: not_found when the caller sees neither the user nor a position. */
export const listGpsOfUser =
  ({ cursors, now }: Parts, dayKeys: DayKeys): Handler<'listGpsOfUser'> =>
  async (context, { params: { device_user_reference }, query }) =>
    decryptPage(
      context,
      dayKeys,
      await listReports<SealedRow>(context, {
        cursors,
        now,
        name: `gps of user ${device_user_reference}`,
        action: 'users.gps:list',
        query,
        of: POINT_LIST,
        conditions: [],
        subject: (q) => findUser(q, device_user_reference),
      }),
    )

/** Decrypts a page. A position that cannot be opened keeps its device and time only. */
async function decryptPage(
  { caller: { client, client_id }, read }: PortalContext,
  dayKeys: DayKeys,
  page: Page<SealedRow> | Total,
): Promise<Page<GpsPoint> | Total> {
  if (!('data' in page)) return page
  const key_ids = [...new Set(page.data.map(({ key_id }) => key_id))]
  const keys = new Map<number, Buffer>()
  for (const stored of key_ids.length > 0 ? await read((q) => findKeys(q, key_ids)) : []) {
    const key = await dayKeys.tryOpen({ client, client_id }, stored)
    if (key) keys.set(stored.key_id, key)
  }
  const data: GpsPoint[] = []
  for (const { key_id, sealed, ...row } of page.data) {
    if (data.length % YIELD_EVERY === YIELD_EVERY - 1) await new Promise(setImmediate)
    const key = keys.get(key_id)
    const place = { client, gps_reference: row.gps_reference, timestamp: row.timestamp }
    const fix = key && openFix(key, place, Buffer.from(sealed, 'base64'))
    data.push({ client, ...row, ...(fix ?? UNREADABLE) })
  }
  return { ...page, data }
}

const UNREADABLE = {
  latitude: null,
  longitude: null,
  accuracy: null,
  altitude: null,
  timezone: null,
  provider: null,
}
