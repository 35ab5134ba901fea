import {
  type Answer,
  type Api,
  type AuthenticateAnswer,
  BATCH_LIMIT,
  type CallInput,
  type CommandState,
  DAY,
  type GpsMeta,
  type LogEntry,
  PayloadReference,
  type PayloadStatusAnswer,
  type REPORTED_STATES,
  REPORTS_BODY_LIMIT,
  type SentCommand,
  type Telemetry,
} from '@custodia/contract'
import { type DeviceKeyPair, newDek, newDeviceKey, sealMeta, wrapDek } from '@custodia/envelope'
import { batches, type LogReport, openLogQueue } from './log-queue.ts'
import {
  assertRecording,
  openNumbers,
  openQueue,
  type PhoneEvent,
  type Recording,
  sealRecording,
  type SyncOptions,
  type SyncReport,
} from './queue.ts'
import {
  DEFAULT_RETRY,
  type Enrolment,
  openSession,
  type PhoneClock,
  type PhoneIdentity,
  type Policy,
  type RetryPolicy,
  type Session,
  systemClock,
} from './session.ts'
import type { AccountKey, PhoneStore, QueueEntry } from './store.ts'

/** A report, with its unsealed fields. */
interface PlainReport<Named> {
  /** What it is called in the associated data. */
  id: string
  kind: string
  named: Named
  document: unknown
}

/** Reports of one call, and the key under which they are sealed. */
interface SealedBatch<Named> {
  key: { key_id: string; encrypted_dek: string }
  sealed: (Named & { iv: string; meta: string })[]
}

/** Bytes of a body that unsealed fields may use. */
const MARGIN = 64 * 1024

interface DayKey {
  day: number
  dek: Buffer
  key: SealedBatch<unknown>['key']
}

/**
 * The key for today's reports: the known one, or a new one. It is kept in memory only; after a restart the phone
 * makes another one.
 * @param now epoch seconds
 */
function keyOfDay(known: DayKey | undefined, { key_id, kek }: AccountKey, now: number): DayKey {
  const day = Math.floor(now / DAY)
  if (known?.day === day && known.key.key_id === key_id) return known
  const dek = newDek()
  return { day, dek, key: { key_id, encrypted_dek: wrapDek(kek, dek) } }
}

/** Seals reports for as few calls as the server takes them in. */
function sealedBatches<Named>(
  reports: readonly PlainReport<Named>[],
  { dek, key }: DayKey,
  { client }: AccountKey,
): SealedBatch<Named>[] {
  const weigh = ({ document }: PlainReport<Named>) =>
    Math.ceil(Buffer.byteLength(JSON.stringify(document)) / 3) * 4 + 512
  return batches(reports, BATCH_LIMIT, REPORTS_BODY_LIMIT - MARGIN, weigh).map((batch) => ({
    key,
    sealed: batch.map(({ id, kind, named, document }) => ({
      ...named,
      ...sealMeta(dek, { client, payload_reference: id, kind }, document),
    })),
  }))
}

const getTelemetry = (report: Telemetry): PlainReport<Pick<Telemetry, 'telemetry_id' | 'telemetry_time'>> => {
  const { telemetry_id, telemetry_time } = report
  return { id: telemetry_id, kind: 'telemetry', named: { telemetry_id, telemetry_time }, document: report }
}

const getPosition = (position: GpsMeta): PlainReport<Pick<GpsMeta, 'gps_reference' | 'timestamp'>> => {
  const { gps_reference, timestamp } = position
  return { id: gps_reference, kind: 'position', named: { gps_reference, timestamp }, document: position }
}

type TelemetryAnswer = Answer<Api['uploadTelemetry']>
type LogAnswer = Answer<Api['uploadLogs']>
type GpsAnswers = Answer<Api['uploadGps']>['points']
type AlertBody = CallInput<Api['reportAlert']>['body']

/** Seconds after which the account's key is read again before the next recording is sealed. */
const KEY_AGE_SECONDS = 86_400

export interface PhoneOptions {
  enrolment: Enrolment
  identity: PhoneIdentity
  store: PhoneStore
  clock?: PhoneClock
  retry?: Partial<RetryPolicy>
  /** How often the phone sends the data of one payload before it stops and needs a person; default 3. */
  maxSends?: number
  fetch?: typeof fetch
  /** Called with every step; events carry references only. */
  onEvent?: (event: PhoneEvent) => void
}

/** The phone's side of the protocol (docs/protocol.md). Every step may be repeated; `record` and `sync` may run side by side. */
export interface Phone {
  authenticate(): Promise<AuthenticateAnswer>
  /** The account's public key, from the store while it is fresh. */
  key(): Promise<AccountKey>
  policy(): Promise<Policy>
  /** Seals a recording into the queue; durable when resolved, so the recorder may drop its own copy. Works without network once a
   * key was read. A reference that is queued already is left as it is. */
  record(recording: Recording): Promise<void>
  /** Announces, uploads and asks after everything in the queue until all came to rest or its patience ends. */
  sync(options?: SyncOptions): Promise<SyncReport>
  /** The server's status of these payloads; works after the phone has deleted its copies. */
  status(payload_references: readonly string[]): Promise<PayloadStatusAnswer[]>
  /** What the phone is to do, oldest first. `wait`: seconds for which the server may hold its answer until there is something new. */
  commands(options?: { wait?: number }): Promise<SentCommand[]>
  /** Says what became of a command; resolves to the state that it has now, which another report may have ended before. */
  report(
    command_reference: string,
    state: (typeof REPORTED_STATES)[number],
    message?: string,
  ): Promise<CommandState>
  /** Keeps what the phone has logged, in their order; durable when resolved, with or without network. */
  keepLogs(logs: readonly LogEntry[]): Promise<void>
  /** Hands over the logs that were kept, the oldest first, as fast as the server takes them. Fails when it cannot; what is left stays. */
  handOverLogs(): Promise<LogReport>
  /** Hands over logs at once, in calls of a hundred; resolves to what became of each. The caller keeps them until then. */
  log(logs: readonly LogEntry[]): Promise<LogAnswer['logs']>
  /** Hands over where the phone was, in calls of a hundred; resolves to what became of each. The caller keeps them until then. */
  locate(positions: readonly GpsMeta[]): Promise<GpsAnswers>
  /**
   * Sends sealed reports of the phone in calls of at most a hundred; resolves to the result of each. The caller keeps
   * the reports until then. Sealing them again does not change their identity.
   */
  telemetry(reports: readonly Telemetry[]): Promise<TelemetryAnswer['telemetry']>
  alert(alert: AlertBody): Promise<void>
  /** What the phone still keeps. */
  queue(): readonly QueueEntry[]
}

export async function openPhone(options: PhoneOptions): Promise<Phone> {
  const { enrolment, identity, store, clock = systemClock, onEvent = () => {}, maxSends = 3 } = options
  const send = options.fetch ?? fetch
  const retry = { ...DEFAULT_RETRY, ...options.retry }
  const deviceKey = await deviceKeyIn(store)
  const session = openSession({ enrolment, identity, deviceKey, clock, retry, fetch: send })
  const account = await accountKey(session, store, clock)
  const { recheckKey } = account
  const queue = await openQueue({ session, store, clock, retry, fetch: send, onEvent, maxSends, recheckKey })
  const logQueue = openLogQueue(session, store)
  const sealing = new Map<string, Promise<void>>()

  const numbers = await openNumbers(store, queue.entries())
  // Numbers are without gaps, so one recording after the other gets its own.
  let numbering: Promise<unknown> = Promise.resolve()

  async function accept(recording: Recording): Promise<void> {
    const { payload_type } = recording
    const announce = await sealRecording(recording, await account.key(), store)
    const work = numbering.then(async () => {
      const sequence = numbers.next(payload_type)
      const announcement = announce(sequence)
      const place = numbers.getPlace(announcement, sequence)
      await queue.add(announcement, place)
      await numbers.took(payload_type, place)
    })
    numbering = work.catch(() => undefined)
    await work
  }

  return {
    authenticate: session.authenticate,
    key: account.key,
    policy: () => session.call((client) => client.readDevicePolicy({})),
    async record(recording) {
      assertRecording(recording)
      const payload_reference = PayloadReference.parse(recording.meta.payload_reference)
      if (queue.has(payload_reference)) return
      // Sealed twice at once, the data of one and the announcement of the other would stay.
      const work = sealing.get(payload_reference) ?? accept(recording)
      sealing.set(payload_reference, work)
      await work.finally(() => sealing.delete(payload_reference))
    },
    sync: queue.sync,
    status: queue.status,
    queue: queue.entries,
    keepLogs: logQueue.keep,
    handOverLogs: logQueue.handOver,
    ...getReports(session, account, clock),
  }
}

/** The account's public key, and a way to read it again. */
interface KnownKey {
  key(): Promise<AccountKey>
  recheckKey(): Promise<void>
}

async function accountKey(session: Session, store: PhoneStore, clock: PhoneClock): Promise<KnownKey> {
  let known = await store.readKey()

  async function key(): Promise<AccountKey> {
    if (known && clock.now() - known.read_at < KEY_AGE_SECONDS) return known
    try {
      const answer = await session.call((client) => client.readDeviceKey({}))
      known = { ...answer, read_at: clock.now() }
      await store.writeKey(known)
    } catch (error) {
      // A key that was replaced meanwhile still opens: better to seal with it than to lose a recording.
      if (!known) throw error
    }
    return known
  }

  /** Asks for the key again before the next recording; without network this one still serves. */
  async function recheckKey(): Promise<void> {
    if (!known) return
    known = { ...known, read_at: 0 }
    await store.writeKey(known)
  }

  return { key, recheckKey }
}

/** What the phone reports next to recordings, and its commands. */
function getReports(
  session: Session,
  { key, recheckKey }: KnownKey,
  clock: PhoneClock,
): Pick<Phone, 'log' | 'locate' | 'telemetry' | 'alert' | 'commands' | 'report'> {
  let dayKey: DayKey | undefined

  async function sealed<Named>(reports: readonly PlainReport<Named>[]): Promise<SealedBatch<Named>[]> {
    const account = await key()
    dayKey = keyOfDay(dayKey, account, clock.now())
    return sealedBatches(reports, dayKey, account)
  }

  return {
    async log(logs) {
      const answers: LogAnswer['logs'] = []
      for (const batch of batches(logs, BATCH_LIMIT, Infinity, () => 0))
        answers.push(...(await session.call((client) => client.uploadLogs({ body: { logs: batch } }))).logs)
      return answers
    },
    async locate(positions) {
      const answers: GpsAnswers = []
      for (const batch of await sealed(positions.map(getPosition))) {
        const { points } = await session.call((client) =>
          client.uploadGps({ body: { ...batch.key, points: batch.sealed } }),
        )
        if (points.some(({ reason }) => reason === 'undecryptable_key')) await recheckKey()
        answers.push(...points)
      }
      return answers
    },
    async telemetry(reports) {
      const answers: TelemetryAnswer['telemetry'] = []
      for (const body of await sealed(reports.map(getTelemetry)))
        answers.push(
          ...(
            await session.call((client) =>
              client.uploadTelemetry({ body: { ...body.key, telemetry: body.sealed } }),
            )
          ).telemetry,
        )
      return answers
    },
    async alert(body) {
      await session.call((client) => client.reportAlert({ body }))
    },
    async commands({ wait = 0 } = {}) {
      return (await session.call((client) => client.fetchCommands({ query: { wait } }))).commands
    },
    async report(command_reference, state, message) {
      const body = { state, ...(message === undefined ? {} : { message }) }
      return (await session.call((client) => client.reportCommand({ params: { command_reference }, body })))
        .state
    },
  }
}

/** Created once, and stored before use: a phone that loses its key becomes another device. */
async function deviceKeyIn(store: PhoneStore): Promise<DeviceKeyPair> {
  const known = await store.readDeviceKey()
  if (known) return known
  const made = newDeviceKey()
  await store.writeDeviceKey(made)
  return made
}
