import { GpsMeta, type LastPosition, type Page, type Total } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { Handler, Handlers, PortalContext } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { type DayKey, DayKeys, getDay, type SealedPosition, getFix, openFix, sealFix } from './gps-keys.ts'
import {
  findKeys,
  findPoints,
  holdKeys,
  isLastOfDevice,
  LAST_POSITIONS,
  type LastRow,
  type SealedRow,
} from './gps-store.ts'
import { reportIngest, type SentReport, type Upload } from './ingest.ts'
import { type ListContext, listReports, type ReportList } from './list.ts'
import { openReports, getOutcomes, DeviceDeks, sealedReports } from './sealed.ts'
import { GPS, type NewReport, type StoredStatus } from './store.ts'

/** Positions decrypted before yielding to other requests: about 5 ms. */
const YIELD_EVERY = 500

/** A page has thousands of points of few devices, so it is without names. */
const getTrack = (query: ReportList['query'], subject: ReportList['subject'] & object) => ({
  query,
  subject,
  of: GPS.list,
  isNamed: false,
})

/** Lists of positions: the last of each device, and all of one device or device user. */
export function gpsLists(
  ctx: ListContext,
  dayKeys: DayKeys,
): Handlers<'listLastPositions' | 'listGpsOfDevice' | 'listGpsOfUser'> {
  const list = async <Row extends SealedRow = SealedRow>(
    context: PortalContext,
    of: Omit<ReportList, 'name'>,
  ) => decryptPage(context, dayKeys, await listReports<Row>(ctx, context, { name: 'gps', ...of }))
  return {
    async listLastPositions(context, { query }) {
      const { access } = context.caller
      const conditions = [isLastOfDevice(access.groups(context.action))]
      const page = await list<LastRow>(context, { query, of: LAST_POSITIONS, conditions })
      if (!('data' in page)) return page
      // State and numbers are those of now, so the device's present group decides.
      const data = page.data.map(
        ({ device_group_id: group_id, device_state, silence, phone_numbers, ...point }): LastPosition =>
          group_id !== null && access.permits('devices:list', { group_id })
            ? { ...point, device_state, silence, phone_numbers }
            : point,
      )
      return { ...page, data }
    },
    listGpsOfDevice: (context, { params: subject, query }) => list(context, getTrack(query, subject)),
    listGpsOfUser: (context, { params: subject, query }) => list(context, getTrack(query, subject)),
  }
}

/** Decrypts a page. A position that cannot be opened keeps its device and time only. */
async function decryptPage<Row extends SealedRow>(
  { caller: { client, client_id }, read }: PortalContext,
  dayKeys: DayKeys,
  page: Page<Row> | Total,
) {
  if (!('data' in page)) return page
  const key_ids = [...new Set(page.data.map(({ key_id }) => key_id))]
  const keys = new Map<number, Buffer>()
  for (const stored of key_ids.length > 0 ? await read((q) => findKeys(q, key_ids)) : []) {
    const key = await dayKeys.tryOpen({ client, client_id }, stored)
    if (key) keys.set(stored.key_id, key)
  }
  const data: (Omit<Row, 'key_id' | 'sealed'> & { client: string } & (SealedPosition | typeof UNREADABLE))[] =
    []
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

/** A readable position. */
interface Position extends SentReport {
  fix: SealedPosition
  client: string
}
type Keys = ReadonlyMap<number, DayKey>

/** Validates positions and seals them under the key of device and day; repeats are stored once. */
function uploadGps(ctx: AppContext, dayKeys: DayKeys): Handler<'uploadGps'> {
  const deks = new DeviceDeks(ctx)
  const ingest = reportIngest<Position, Keys>(ctx, GPS, {
    prepare: (tx, uploads) => assertKept(tx, dayKeys, uploads),
    compare: (tx, positions) => compareFixes(tx, dayKeys, positions),
  })
  return async (context, { body }) => {
    ingest.admit(context, body.points.length)
    const sealed = sealedReports(GPS, body, body.points)
    const opened = await openReports(deks, context, sealed, {
      kind: GPS,
      schema: GpsMeta,
      sealed_as: 'position',
    })
    const readable = opened.flatMap((each) => ('report' in each ? [each.report] : []))
    const keys = await dayKeys.sealing(context.caller, [
      ...new Set(readable.map(({ timestamp }) => getDay(timestamp))),
    ])
    const positions = readable.map((report) => sealPosition(context.caller.client, keys, report))
    const outcomes = getOutcomes(opened, await ingest.store(context, positions, keys))
    return { points: outcomes.map(({ id, path: _path, ...outcome }) => ({ gps_reference: id, ...outcome })) }
  }
}

function sealPosition(client: string, keys: Keys, report: GpsMeta): Position {
  const { gps_reference, timestamp } = report
  const { key_id, key } = keys.get(getDay(timestamp)) as DayKey
  const fix = getFix(report)
  const sealed = sealFix(key, { client, gps_reference, timestamp }, fix).toString('base64')
  return { reference: gps_reference, at: timestamp, fix, client, values: { key_id, sealed } }
}

/** Refuses deleted keys. Problem: unavailable, so that the device retries with a new key. */
async function assertKept(
  tx: Tx,
  dayKeys: DayKeys,
  uploads: readonly Upload<Position, Keys>[],
): Promise<never[]> {
  const used = uploads.flatMap(({ caller, keys }) =>
    [...keys].map(([day, { key_id }]) => ({ caller, day, key_id })),
  )
  const kept = await holdKeys(tx, [...new Set(used.map(({ key_id }) => key_id))])
  const gone = used.filter(({ key_id }) => !kept.has(key_id))
  for (const { caller, day } of gone) dayKeys.forget(caller, day)
  if (gone.length > 0) throw new Problem('unavailable', { detail: 'a position key was deleted' })
  return []
}

/** A repeated position must equal the stored one; otherwise it is a conflict. An unreadable one equals any. */
async function compareFixes(
  tx: Tx,
  dayKeys: DayKeys,
  positions: readonly (Position & NewReport)[],
): Promise<StoredStatus[]> {
  const getName = (device_id: number, reference: string, at: number) => `${device_id} ${reference} ${at}`
  const client = positions[0]?.client ?? ''
  const fixes = new Map<string, string>()
  for (const { wrapped_key, ...there } of await findPoints(tx, positions)) {
    const key =
      wrapped_key && (await dayKeys.tryOpen({ client, client_id: tx.client_id }, { ...there, wrapped_key }))
    const fix = key && openFix(key, { ...there, client }, there.sealed)
    if (fix) fixes.set(getName(there.device_id, there.gps_reference, there.timestamp), JSON.stringify(fix))
  }
  return positions.map(({ device_id, reference, at, fix }) => {
    const stored = fixes.get(getName(device_id, reference, at))
    return stored === undefined || stored === JSON.stringify(fix) ? 'stored' : 'conflict'
  })
}

/** Routes of positions. */
export function gpsRoutes(ctx: AppContext): ReturnType<typeof gpsLists> & Handlers<'uploadGps'> {
  const dayKeys = new DayKeys(ctx)
  return { ...gpsLists(ctx, dayKeys), uploadGps: uploadGps(ctx, dayKeys) }
}
