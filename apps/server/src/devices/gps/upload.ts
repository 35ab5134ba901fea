import { AHEAD_SECONDS, type GpsAnswer, GpsMeta } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { nameOf, TokenBuckets, tooManyRequests } from '../../http/admit.ts'
import type { DeviceContext, Handler, Phone } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { AuditedBatcher } from '../../http/audited-batcher.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { type OpenedReport, openReports, PhoneDeks } from '../open-reports.ts'
import { findHoldings, holderAt } from '../../device-records/store.ts'
import { type DayKey, type DayKeys, dayOf } from './day-keys.ts'
import { holdKeys } from './key-store.ts'
import { findPoints, insertPoints, type NewPoint } from './point-store.ts'
import { type Fix, fixOf, openFix, sealFix } from './sealed-point.ts'

/** Maximum number of positions of one client per transaction. */
const MOST_TOGETHER = 1000

type Status = 'stored' | 'conflict'
/** A decrypted upload. */
interface DecryptedPoint {
  gps_reference: string
  timestamp: number
  fix: Fix
}
interface Uploaded extends Pick<DeviceContext, 'caller' | 'now'> {
  points: readonly DecryptedPoint[]
  keys: ReadonlyMap<number, DayKey>
}

const KIND = {
  kind: 'position',
  schema: GpsMeta,
  namedIn: ({ gps_reference, timestamp }: GpsMeta) => ({ id: gps_reference, at: timestamp }),
}

/**
 * Validates positions and seals them under the key of device and day; repeats are stored once. Problem:
 * too_many_requests per device, before anything is stored.
 */
export function uploadGps(ctx: AppContext, dayKeys: DayKeys): Handler<'uploadGps'> {
  const buckets = ctx.config.rates.reports && new TokenBuckets(ctx.config.rates.reports)
  const deks = new PhoneDeks(ctx)
  const uploads = new AuditedBatcher<Uploaded, Status[]>({
    ...ctx,
    work: (tx, uploaded) => storePoints(tx, dayKeys, uploaded),
    most: MOST_TOGETHER,
    sizeOf: ({ points }) => points.length,
  })
  return async (context, { body }) => {
    const { caller, now } = context
    const early = buckets?.take(nameOf(caller), body.points.length)
    if (early) throw tooManyRequests(context, early)
    const { key_id, encrypted_dek } = body
    const reports = body.points.map(({ gps_reference: id, timestamp: at, iv, meta }) => ({
      id,
      at,
      iv,
      meta,
    }))
    const opened = await openReports(deks, context, { key_id, encrypted_dek, reports }, KIND)
    const points = opened.flatMap(pointOf)
    const days = [...new Set(points.map(({ timestamp }) => dayOf(timestamp)))]
    const keys = await dayKeys.sealing(caller, days)
    const statuses = (await context.writeBatched(uploads, { caller, now, points, keys })).values()
    return {
      points: opened.map((each): GpsAnswer => {
        const gps_reference = each.sealed.id
        return 'report' in each
          ? { gps_reference, status: statuses.next().value as Status }
          : { gps_reference, status: 'failed', reason: each.reason }
      }),
    }
  }
}

const pointOf = (each: OpenedReport<GpsMeta>): DecryptedPoint[] =>
  'report' in each
    ? [{ gps_reference: each.sealed.id, timestamp: each.sealed.at, fix: fixOf(each.report) }]
    : []

/** Assigns each position to the holder of the device at that time, as for payloads. */
async function storePoints(tx: Tx, dayKeys: DayKeys, uploaded: readonly Uploaded[]): Promise<Status[][]> {
  await assertKept(tx, dayKeys, uploaded)
  const holdings = await findHoldings(tx, [...new Set(uploaded.map(({ caller }) => caller.device_id))])
  const points = uploaded.flatMap(({ caller, now, points, keys }) =>
    points.map(({ gps_reference, timestamp, fix }) => {
      const { key_id, key } = keys.get(dayOf(timestamp)) as DayKey
      return {
        device_id: caller.device_id,
        gps_reference,
        timestamp,
        holder: holderAt(holdings.get(caller.device_id), timestamp),
        key_id,
        sealed: sealFix(key, { client: caller.client, gps_reference, timestamp }, fix),
        received_at: now,
        fix,
      }
    }),
  )
  const now = Math.max(...uploaded.map((each) => each.now))
  const areNew = await insertPoints(tx, points, now + AHEAD_SECONDS)
  const statuses = await compareRepeated(tx, dayKeys, uploaded[0]?.caller, points, areNew)
  return uploaded.map((each) => statuses.splice(0, each.points.length))
}

/** Refuses deleted keys. Problem: unavailable, so that the device retries with a new key. */
async function assertKept(tx: Tx, dayKeys: DayKeys, uploaded: readonly Uploaded[]): Promise<void> {
  const used = uploaded.flatMap(({ caller, keys }) =>
    [...keys].map(([day, { key_id }]) => ({ caller, day, key_id })),
  )
  const kept = await holdKeys(tx, [...new Set(used.map(({ key_id }) => key_id))])
  const gone = used.filter(({ key_id }) => !kept.has(key_id))
  for (const { caller, day } of gone) dayKeys.forget(caller, day)
  if (gone.length > 0) throw new Problem('unavailable', { detail: 'a position key was deleted' })
}

/** A repeated position must equal the stored one; otherwise it is a conflict. */
async function compareRepeated(
  tx: Tx,
  dayKeys: DayKeys,
  phone: Phone | undefined,
  points: readonly (NewPoint & { fix: Fix })[],
  areNew: readonly boolean[],
): Promise<Status[]> {
  const times = new Map<string, number>()
  for (const point of points) times.set(nameOfPoint(point), (times.get(nameOfPoint(point)) ?? 0) + 1)
  const isUncertain = (i: number) => {
    const point = points[i] as NewPoint
    return !areNew[i] || (times.get(nameOfPoint(point)) ?? 0) > 1
  }
  const uncertain = points.filter((_, i) => isUncertain(i))
  if (uncertain.length === 0 || !phone) return points.map(() => 'stored')
  const stored = new Map<string, Fix | undefined>()
  for (const { wrapped_key, ...there } of await findPoints(tx, uncertain)) {
    const key = wrapped_key && (await dayKeys.tryOpen(phone, { ...there, wrapped_key }))
    const fix = key ? openFix(key, { ...there, client: phone.client }, there.sealed) : undefined
    stored.set(nameOfPoint(there), fix)
  }
  return points.map((point, i) => {
    const fix = isUncertain(i) ? stored.get(nameOfPoint(point)) : undefined
    return fix && JSON.stringify(fix) !== JSON.stringify(point.fix) ? 'conflict' : 'stored'
  })
}

const nameOfPoint = ({
  device_id,
  gps_reference,
  timestamp,
}: Pick<NewPoint, 'device_id' | 'gps_reference' | 'timestamp'>): string =>
  `${device_id} ${gps_reference} ${timestamp}`
