import { createHash, randomBytes } from 'node:crypto'
import { sealMeta } from '@custodia/envelope'
import { ulid } from 'ulid'
import type { AppContext } from '../../app-context.ts'
import { getDay, sealFix } from '../../devices/reports/gps-keys.ts'
import {
  GPS,
  insertReports,
  keepReportKeys,
  LOGS,
  type NewReport,
  type ReportKind,
  TELEMETRY,
} from '../../devices/reports/store.ts'
import { keepSharedFacts, type SharedFacts, splitFacts } from '../../devices/reports/telemetry-store.ts'
import { getChecksum } from '../../devices/reports/telemetry.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { gpsKeyContext, reportKeyContext } from '../../ports/keys/contexts.ts'
import { dice } from './dice.ts'
import { insertKeysOfDay } from './fleet-store.ts'
import { changingFacts, type LargeDevice } from './fleet.ts'
import type { Holder } from './history.ts'

type Keys = Pick<AppContext, 'keys'>

const DAY = 86_400
const HOUR = 3600
/** Rows of one statement. */
const TOGETHER = 5000

const getDevice = ({ person }: Holder): LargeDevice => {
  if (!person.device) throw new Error(`${person.device_user_reference} has no device`)
  return person.device
}
const sha256 = (text: string) => createHash('sha256').update(text).digest()
/** What every report of a device names. */
const getOwner = ({ device_id, device_user_id, group_id }: Holder) => ({
  device_id,
  device_user_id,
  group_id,
})

async function insertAll(tx: Tx, kind: ReportKind, reports: readonly NewReport[]): Promise<void> {
  for (let first = 0; first < reports.length; first += TOGETHER)
    await insertReports(tx, kind, reports.slice(first, first + TOGETHER), () =>
      Promise.reject(new Error(`reports of the demo are in ${kind.list.table} already`)),
    )
}

/**
 * Writes prepared reports. They are sealed before the transaction: a busy machine takes longer than the minute that a
 * transaction may be idle.
 */
type Insert = (tx: Tx) => Promise<void>

/** Telemetry of each device, the newest at its last contact, sealed under a key of its own. */
export async function prepareTelemetry(
  { keys }: Keys,
  client: string,
  holders: readonly Holder[],
  { reports, now }: { reports: number; now: number },
): Promise<Insert> {
  const opened = holders.map((holder) => ({ holder, dek: randomBytes(32) }))
  const wrapped = await Promise.all(
    opened.map(async ({ holder, dek }) => ({
      device_id: holder.device_id,
      digest: sha256(holder.device_reference),
      wrapped_key: await keys.wrap(dek, reportKeyContext(client, holder.device_reference)),
    })),
  )
  const facts_of_all: SharedFacts[] = []
  const all = opened.map(({ holder, dek }) => {
    const roll = dice(holder.device_id)
    const { facts: constant, last_seen } = getDevice(holder)
    return Array.from({ length: reports }, (_, i): NewReport => {
      const at = last_seen - i * 110 * 60
      const reference = `${ulid(at * 1000)}-${ulid(at * 1000)}`
      const facts = { ...constant, ...changingFacts(roll) }
      const { shared, values } = splitFacts(facts, at)
      facts_of_all.push(shared)
      const { timezone } = holder.person.branch
      const identity = { client, payload_reference: reference, kind: 'telemetry' }
      const { iv, meta } = sealMeta(dek, identity, { timezone })
      return {
        ...getOwner(holder),
        reference,
        at,
        received_at: at + 2,
        values: {
          ...values,
          has_applications: false,
          iv,
          sealed_meta: meta,
          checksum: getChecksum({ telemetry_id: reference, telemetry_time: at, timezone, ...facts }),
        },
      }
    })
  })
  return async (tx) => {
    const ids = await keepReportKeys(tx, wrapped, now)
    await keepSharedFacts(tx, facts_of_all)
    await insertAll(
      tx,
      TELEMETRY,
      all.flatMap((own, i) => own.map((each) => withKey(each, { report_key_id: ids[i] }))),
    )
  }
}

const withKey = (report: NewReport, key: NewReport['values']): NewReport => ({
  ...report,
  values: { ...report.values, ...key },
})

/** Positions near the branch on the last whole hours of a day. */
export async function preparePositions(
  { keys }: Keys,
  client: string,
  holders: readonly Holder[],
  { positions, now }: { positions: number; now: number },
): Promise<Insert> {
  // Early in the day the positions are of yesterday: a device has one key per day.
  const until = now % DAY > positions * HOUR ? now : now - (now % DAY) - 1
  const day = getDay(until)
  const opened = holders.map((holder) => ({ holder, key: randomBytes(32) }))
  const wrapped = await Promise.all(
    opened.map(async ({ holder, key }) => ({
      device_id: holder.device_id,
      wrapped_key: await keys.wrap(key, gpsKeyContext(client, holder.device_reference, day)),
    })),
  )
  const all = opened.flatMap(({ holder, key }) => {
    const roll = dice(holder.device_id + 1)
    const { latitude, longitude, timezone } = holder.person.branch
    return Array.from({ length: positions }, (_, i): NewReport => {
      const at = until - i * HOUR - roll.between(0, 600)
      const reference = ulid(at * 1000)
      const fix = {
        latitude: latitude + (roll.next() - 0.5) * 0.12,
        longitude: longitude + (roll.next() - 0.5) * 0.12,
        accuracy: roll.between(4, 60),
        altitude: null,
        timezone,
        provider: 'fused',
      }
      const sealed = sealFix(key, { client, gps_reference: reference, timestamp: at }, fix)
      return {
        ...getOwner(holder),
        reference,
        at,
        received_at: at + 2,
        values: { sealed: sealed.toString('base64') },
      }
    })
  })
  return async (tx) => {
    const ids = await insertKeysOfDay(tx, day, wrapped, now)
    await insertAll(
      tx,
      GPS,
      all.map((each) => withKey(each, { key_id: ids.get(each.device_id) })),
    )
  }
}

const MESSAGES = [
  ['INFO', 'Uploader', 'Uploaded 3 payloads'],
  ['INFO', 'Scheduler', 'Next sync in 15 minutes'],
  ['DEBUG', 'CallRecorder', 'Recording started'],
  ['DEBUG', 'CallRecorder', 'Recording ended'],
  ['INFO', 'Policy', 'Policy is current'],
  ['WARN', 'Uploader', 'No network, the upload waits'],
  ['WARN', 'Storage', 'Less than 500 MB left'],
  ['ERROR', 'SmsReader', 'The permission to read messages is missing'],
] as const

/** Logs of the last month, few of them warnings. */
export async function insertLogs(
  tx: Tx,
  holders: readonly Holder[],
  { logs, now }: { logs: number; now: number },
): Promise<void> {
  const roll = dice(7)
  const all = Array.from({ length: logs }, (): NewReport => {
    const holder = roll.of(holders)
    const at = now - roll.between(HOUR, 30 * DAY)
    const [log_level, log_class, log_message] =
      roll.next() < 0.9 ? roll.of(MESSAGES.slice(0, 5)) : roll.of(MESSAGES)
    return {
      ...getOwner(holder),
      reference: `${ulid(at * 1000)}-${ulid(at * 1000)}`,
      at,
      received_at: at + 60,
      values: {
        log_class,
        log_level,
        log_message,
        local_timezone: holder.person.branch.timezone,
        payload_reference: null,
      },
    }
  })
  await insertAll(tx, LOGS, all)
}
