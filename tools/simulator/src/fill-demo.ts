import { createHash } from 'node:crypto'
import type { LogEntry, LogLevel } from '@custodia/contract'
import { folderStore, memoryStore, openPhone, type PhoneStore, type Recording } from '@custodia/device-sdk'
import { ulid } from 'ulid'
import { CONTACTS, messageRecording } from './calls.ts'
import { type CarriedPhone, getEnrolment, phoneFolder } from './carried-phone.ts'
import { SHORT_TEXTS } from './conversations.ts'
import { demoPlan, type PlannedPhone } from './demo-plan.ts'
import { demoTelemetry, demoTrack } from './demo-telemetry.ts'
import { chance, namedReference } from './itinerary.ts'
import { type DemoAccount, MEDIA_FOLDER, openMedia } from './media.ts'

const DAY = 86_400
/** Days of logs per device, and logs per day. */
const DAYS = 3
const LOGS_A_DAY = 8

type Line = readonly [log_class: string, log_level: LogLevel, log_message: string]
const USUAL: readonly Line[] = [
  ['Recorder', 'INFO', 'recording services are running: calls, sms, mms, rcs'],
  ['Uploader', 'INFO', 'the queue is empty'],
  ['Uploader', 'DEBUG', 'announced 3 recordings in one call'],
  ['Session', 'INFO', 'authenticated, nothing changed'],
  ['Battery', 'DEBUG', 'charging, 81 %'],
  ['Network', 'DEBUG', 'Wi-Fi lost, on mobile data'],
]
const UNUSUAL: readonly Line[] = [
  ['Uploader', 'WARN', 'no network, 4 recordings wait'],
  ['Battery', 'WARN', 'battery saver is on: uploads wait for power'],
  ['Storage', 'WARN', '312 MB are left for recordings'],
  ['Permissions', 'ERROR', 'the microphone was taken by another app for 40 s'],
  ['Recorder', 'ERROR', 'the call ended before recording began'],
]

/** Logs of a demo device up to the start of `now`'s day (epoch seconds); deterministic per day. */
function demoLogs(account_reference: string, { person, timezone }: CarriedPhone, now: number): LogEntry[] {
  const today = now - (now % DAY)
  const dice = chance(`${account_reference} logs ${person.email}`)
  return Array.from({ length: DAYS * LOGS_A_DAY }, (_, i) => {
    const [log_class, log_level, log_message] = dice.pick(dice.next() < 0.2 ? UNUSUAL : USUAL)
    const named = `${account_reference} log ${person.email} ${i}`
    return {
      log_id: `${namedReference(named)}-${namedReference(`${named} id`)}`,
      log_class,
      log_level,
      log_datetime: today - Math.floor(i / LOGS_A_DAY) * DAY - dice.between(6 * 3600, 17 * 3600),
      local_timezone: timezone,
      log_message,
    }
  })
}

export interface DemoOptions {
  serverUrl: string
  enrolments: readonly DemoAccount[]
  /** Epoch seconds; the newest payload is about an hour older. */
  now: number
  log?: (line: string) => void
  /** Receives the number of payloads in a final state, and the total. */
  onProgress?: (done: number, total: number) => void
  /** Folder of the device queues, so that an interrupted fill can resume; in memory by default. */
  phonesFolder?: string
  mediaFolder?: string
}

export interface DemoReport {
  /** Number of payloads of the demo. */
  total: number
  /** Payloads that devices uploaded and freed. */
  processed: number
  /** Payloads that the server rejected: the tampered one. */
  refused: number
  /** Payloads still in processing at the end of the wait. */
  waiting: number
}

const PHONES_AT_ONCE = 3
/** Maximum wait of a device for the server's checks, in seconds. */
const PATIENCE = 600
/** A third attempt never helps in the demo. */
const MAX_SENDS = 2

/** Fills a demo through the device protocol. References depend on the accounts only, so a second call sends only missing payloads. */
export async function fillDemo(options: DemoOptions): Promise<DemoReport> {
  const { enrolments, now, log = () => {}, onProgress = () => {} } = options
  const media = await openMedia(options.mediaFolder ?? MEDIA_FOLDER)
  const plans: { account: DemoAccount; planned: PlannedPhone }[] = []
  for (const account of enrolments) {
    for (const planned of await demoPlan(account, media, now)) plans.push({ account, planned })
  }
  const total = plans.reduce(
    (sum, { planned: { payloads, again } }) => sum + payloads.length + again.length,
    0,
  )
  log(`Simulating ${plans.length} phones with ${total} payloads …`)
  const report: DemoReport = { total, processed: 0, refused: 0, waiting: 0 }
  const settled = () => onProgress(report.processed + report.refused, total)
  const waiting = plans.values()
  const worker = async () => {
    for (const { account, planned } of waiting) await usePhone(options, account, planned, report, settled)
  }
  await Promise.all(Array.from({ length: PHONES_AT_ONCE }, worker))
  return report
}

async function usePhone(
  options: DemoOptions,
  account: DemoAccount,
  { phone: carried, payloads, again }: PlannedPhone,
  report: DemoReport,
  settled: () => void,
): Promise<void> {
  const store = await storeFor(options, account, carried.person.email)
  const phoneOptions = {
    enrolment: getEnrolment(options.serverUrl, account, carried.person),
    identity: carried.identity,
    store,
    maxSends: MAX_SENDS,
  }
  const recorder = await openPhone(phoneOptions)
  await recorder.authenticate()
  const kept = new Set(recorder.queue().map((entry) => entry.announcement.payload_reference))
  const all = [...payloads.map(({ recording }) => recording), ...again]
  const statuses = await recorder.status(all.map(({ meta }) => meta.payload_reference))
  const known = new Map(statuses.map((each) => [each.payload_reference, each.status]))
  const isToBeRecorded = (payload_reference: string) => {
    const status = known.get(payload_reference)
    if (!kept.has(payload_reference) && status !== 'not_found')
      report[status === 'failed' ? 'refused' : 'processed'] += 1
    return !kept.has(payload_reference) && status === 'not_found'
  }
  for (const { recording, isTampered } of payloads) {
    const { payload_reference } = recording.meta
    if (!isToBeRecorded(payload_reference)) continue
    await recorder.record(recording)
    if (isTampered) await tamperWith(store, payload_reference)
  }
  // Opened again, as after a restart: the queue comes from the store, tampered or not.
  const sender = await openPhone({
    ...phoneOptions,
    onEvent({ type }) {
      if (type === 'freed') report.processed += 1
      else if (type === 'refused') report.refused += 1
      else return
      settled()
    },
  })
  await sender.sync({ patience: PATIENCE })
  for (const message of again)
    if (isToBeRecorded(message.meta.payload_reference)) await sender.record(message)
  const { waiting } = await sender.sync({ patience: PATIENCE })
  await sender.log(demoLogs(account.account_reference, carried, options.now))
  await sender.telemetry(demoTelemetry(account.account_reference, carried, options.now))
  await sender.locate(demoTrack(account.account_reference, carried, options.now))
  report.waiting += waiting
  settled()
}

async function storeFor(options: DemoOptions, account: DemoAccount, email: string): Promise<PhoneStore> {
  if (!options.phonesFolder) return memoryStore()
  return folderStore(phoneFolder(options.phonesFolder, account, email))
}

/** Simulates a dishonest holder: alters sealed data of a queued payload and corrects its checksum, so that only the seal reveals it. */
async function tamperWith(store: PhoneStore, payload_reference: string): Promise<void> {
  const sealed = await store.readSealed(payload_reference)
  const entry = (await store.entries()).find(
    (each) => each.announcement.payload_reference === payload_reference,
  )
  if (!sealed || !entry) throw new Error(`${payload_reference} is not queued with data`)
  const bytes = await sealed.bytes()
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  await store.writeSealed(payload_reference, getStream(bytes))
  const checksum = createHash('sha256').update(bytes).digest('hex')
  await store.putEntry({ ...entry, announcement: { ...entry.announcement, checksum } })
}

async function* getStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** A text message of this time (epoch seconds) with a new reference: the smallest payload with data. */
export function smallRecording(phone: CarriedPhone, now: number, text?: string): Recording {
  const payload_reference = ulid()
  const dice = chance(payload_reference)
  return messageRecording(phone, {
    payload_type: 'SMS',
    payload_reference,
    payload_time: now,
    direction: dice.pick(['I', 'O'] as const),
    contact: dice.pick(CONTACTS[phone.person.locale]),
    text: text ?? dice.pick(SHORT_TEXTS),
  })
}
