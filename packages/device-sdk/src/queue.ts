import { createHash, randomUUID } from 'node:crypto'
import { ApiProblem } from '@custodia/client'
import {
  type Announcement,
  type AnnouncementAnswer,
  BATCH_LIMIT,
  isDataless,
  PARSE_OPTIONS,
  PAYLOAD_META,
  type PayloadMeta,
  type PayloadStatusAnswer,
  type PayloadType,
  type Sequence,
  toFaults,
} from '@custodia/contract'
import { associatedData, hashing, metaKind, newDek, seal, sealMeta, wrapDek } from '@custodia/envelope'
import { batches, inParallel } from './log-queue.ts'
import {
  isPassing,
  PassingFailure,
  type PhoneClock,
  retrying,
  type RetryPolicy,
  type Session,
} from './session.ts'
import type { AccountKey, Numbering, PhoneStore, Place, QueueEntry, RefusalReason } from './store.ts'

/** A step of one payload. `uploaded`: acknowledged by the server. `freed`: it is processed and the phone's copy is gone. */
export interface PhoneEvent {
  type: 'queued' | 'announced' | 'uploaded' | 'failed' | 'refused' | 'freed'
  payload_reference: string
}

export interface SyncOptions {
  /** Seconds to wait for the server's checks; default 120. 0 sends what there is, asks once and returns. */
  patience?: number
}

export interface SyncReport {
  freed: number
  /** Still to be sent or checked. */
  waiting: number
  refused: number
}

interface Queue {
  has(payload_reference: string): boolean
  entries(): readonly QueueEntry[]
  add(announcement: Announcement, place?: Place): Promise<void>
  sync(options?: SyncOptions): Promise<SyncReport>
  status(payload_references: readonly string[]): Promise<PayloadStatusAnswer[]>
}

interface QueueOptions {
  session: Session
  store: PhoneStore
  clock: PhoneClock
  retry: RetryPolicy
  fetch: typeof fetch
  maxSends: number
  onEvent: (event: PhoneEvent) => void
  recheckKey: () => Promise<void>
}

/** Announcements sent at once hold at most this much sealed metadata, in characters. */
const BATCH_CHARACTERS = 8 * 1024 ** 2
const UPLOADS_AT_ONCE = 2
const FIRST_POLL_MS = 250
const LONGEST_POLL_MS = 5000

/** The queue as the store has it. Sealed data without an entry is from a recording that was never accepted: it is removed. */
export async function openQueue(options: QueueOptions): Promise<Queue> {
  const { clock } = options
  const kept = await keptEntries(options)
  const { queue, change } = kept
  const announce = announcer(options, kept)
  const { status, askAfter } = statusReader(options, kept)
  let running: Promise<SyncReport> | undefined

  const inState = (state: QueueEntry['state']) => [...queue.values()].filter((each) => each.state === state)
  const weight = (entry: QueueEntry) => entry.announcement.meta.length

  async function run(patience: number): Promise<SyncReport> {
    const deadline = clock.now() + patience
    const freedBefore = kept.freed()
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(LONGEST_POLL_MS, pause * 1.5)) {
      for (const batch of batches(inState('queued'), BATCH_LIMIT, BATCH_CHARACTERS, weight)) {
        await announce(batch)
      }
      await askAfter(inState('uploaded'))
      const waiting = queue.size - inState('refused').length
      if (waiting === 0 || clock.now() >= deadline) {
        return { freed: kept.freed() - freedBefore, waiting, refused: queue.size - waiting }
      }
      await clock.sleep(pause)
    }
  }

  return {
    has: (payload_reference) => queue.has(payload_reference),
    entries: () => [...queue.values()],
    status,
    async add(announcement, place) {
      await change({ announcement, state: 'queued', sends: 0, ...(place && { place }) }, {}, 'queued')
    },
    sync({ patience = 120 } = {}) {
      running ??= run(patience).finally(() => {
        running = undefined
      })
      return running
    },
  }
}

type StoredQueue = Awaited<ReturnType<typeof keptEntries>>

/** The entries of the queue, in memory as in the store. */
async function keptEntries({ store, onEvent, maxSends }: QueueOptions) {
  const queue = new Map<string, QueueEntry>()
  for (const entry of await store.entries()) {
    // Announcing again costs little, and finds out should the server wait for data that this phone believes to have sent.
    const state = entry.state === 'uploaded' ? 'queued' : entry.state
    queue.set(entry.announcement.payload_reference, { ...entry, state })
  }
  for (const reference of await store.sealedReferences()) {
    if (!queue.has(reference)) await store.removeSealed(reference)
  }
  let freed = 0

  async function change(
    entry: QueueEntry,
    change: Partial<QueueEntry>,
    type: PhoneEvent['type'],
  ): Promise<void> {
    const { payload_reference } = entry.announcement
    const changed = { ...entry, ...change }
    await store.putEntry(changed)
    queue.set(payload_reference, changed)
    onEvent({ type, payload_reference })
  }

  /** The only place where a copy goes away. */
  async function free(entry: QueueEntry): Promise<void> {
    const { payload_reference } = entry.announcement
    // In this order: an entry without data would be a loss, data without an entry is swept at the next start.
    await store.removeEntry(payload_reference)
    await store.removeSealed(payload_reference)
    queue.delete(payload_reference)
    freed += 1
    onEvent({ type: 'freed', payload_reference })
  }

  const refuse = (entry: QueueEntry, refusal: RefusalReason) =>
    change(entry, { state: 'refused', refusal }, 'refused')

  /** The server could not use what was sent: once more, or stop. */
  async function failed(entry: QueueEntry, sends: number, reason?: string): Promise<void> {
    if (sends >= maxSends)
      return change(entry, { state: 'refused', refusal: 'failed', sends, reason }, 'refused')
    await change(entry, { state: 'queued', sends, reason }, 'failed')
  }

  return { queue, change, free, refuse, failed, freed: () => freed }
}

/** Announces entries, and uploads what the server asks for. */
function announcer(options: QueueOptions, { change, free, refuse, failed }: StoredQueue) {
  const { session, store, clock, onEvent } = options

  async function upload(entry: QueueEntry, address: string, headers: Record<string, string>): Promise<void> {
    const sealed = await store.readSealed(entry.announcement.payload_reference)
    if (!sealed || sealed.size !== entry.announcement.size) return refuse(entry, 'local_copy_lost')
    const outcome = await retrying(options.retry, clock, () =>
      putSealed(options.fetch, address, headers, sealed),
    )
    const sends = entry.sends + 1
    if (outcome === 'stored') await change(entry, { state: 'uploaded', sends }, 'uploaded')
    else if (outcome === 'mismatch') await failed(entry, sends, 'wrong_checksum')
    else if (outcome === 'conflict') await refuse(entry, 'payload_conflict')
  }

  async function announced(entry: QueueEntry, answer: AnnouncementAnswer): Promise<void> {
    if (answer.problem) return refuse(entry, answer.problem)
    if (answer.status === 'processed') return free(entry)
    onEvent({ type: 'announced', payload_reference: answer.payload_reference })
    if (answer.upload_url) return upload(entry, answer.upload_url, answer.upload_headers ?? {})
    // Failed, and the same bytes again would not help.
    if (answer.status === 'failed') return refuse(entry, 'failed')
    if (answer.status === 'pending') await change(entry, { state: 'uploaded' }, 'uploaded')
  }

  async function announce(batch: QueueEntry[]): Promise<void> {
    const answers = await session
      .call((client) =>
        client.announcePayloads({ body: { payloads: batch.map((each) => each.announcement) } }),
      )
      .catch(async (error: unknown) => {
        if (!(error instanceof ApiProblem) || error.status !== 400) throw error
        // One that the server cannot read must not hold up the others.
        const [only] = batch
        if (batch.length === 1 && only) await refuse(only, 'invalid_announcement')
        else for (const each of batch) await announce([each])
        return { payloads: [] }
      })
    const byReference = new Map(answers.payloads.map((each) => [each.payload_reference, each]))
    await inParallel(batch, UPLOADS_AT_ONCE, async (entry) => {
      const answer = byReference.get(entry.announcement.payload_reference)
      if (answer) await announced(entry, answer)
    })
  }

  return announce
}

/** Asks what became of uploaded entries. */
function statusReader({ session, recheckKey }: QueueOptions, { queue, change, free, failed }: StoredQueue) {
  async function checked(entry: QueueEntry, answer: PayloadStatusAnswer): Promise<void> {
    if (answer.status === 'processed') await free(entry)
    else if (answer.status === 'failed') {
      // The account may have changed its key; the next recording fetches it again.
      if (answer.reason === 'undecryptable_key') await recheckKey()
      await failed(entry, entry.sends, answer.reason)
    } else if (answer.status === 'not_found') await change(entry, { state: 'queued' }, 'queued')
  }

  async function status(references: readonly string[]): Promise<PayloadStatusAnswer[]> {
    const answers: PayloadStatusAnswer[] = []
    for (const batch of batches(references, BATCH_LIMIT, Infinity, () => 0)) {
      const body = { payload_references: batch }
      const { payloads } = await session.call((client) => client.readPayloadStatus({ body }))
      answers.push(...payloads)
    }
    return answers
  }

  async function askAfter(entries: QueueEntry[]): Promise<void> {
    for (const each of await status(entries.map(({ announcement }) => announcement.payload_reference))) {
      const entry = queue.get(each.payload_reference)
      if (entry?.state === 'uploaded') await checked(entry, each)
    }
  }

  return { status, askAfter }
}

/**
 * How one PUT ended. `stored`: the server has the bytes. `expired`: ask for another address. `mismatch`: not the announced bytes
 * arrived. `conflict`: other bytes lie under this reference.
 */
type UploadOutcome = 'stored' | 'expired' | 'mismatch' | 'conflict'

/**
 * Sends sealed data to an upload address, which may be the server's own or an object store's. Throws PassingFailure, or the TypeError of
 * fetch, for what may be different a moment later.
 */
async function putSealed(
  send: typeof fetch,
  url: string,
  headers: Readonly<Record<string, string>>,
  sealed: Blob,
): Promise<UploadOutcome> {
  // A Blob has a known size, so fetch sends Content-Length and not chunks; it is read while it is sent.
  const response = await send(url, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: sealed,
    redirect: 'error',
  })
  await response.body?.cancel()
  // 412: an object store that has these bytes already.
  if (response.ok || response.status === 412) return 'stored'
  if (response.status === 409) return 'conflict'
  if (response.status === 400 || response.status === 413) return 'mismatch'
  if (isPassing(response.status)) {
    const retry_after = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw new PassingFailure(`the upload was answered with ${response.status}`, {
      retry_after: Number.isFinite(retry_after) ? retry_after : undefined,
    })
  }
  return 'expired'
}

/** What the recorder hands over. `meta` carries the payload_reference: make a new ULID for every recording. */
export interface Recording {
  payload_type: PayloadType
  meta: PayloadMeta
  /** The plaintext, read once; absent for aborted and blocked calls, which have none. */
  data?: () => AsyncIterable<Uint8Array>
}

/** The meta, or whether there is data, does not suit the payload type. Names fields, never their values. */
export class InvalidRecording extends Error {
  override name = 'InvalidRecording'
}

/** Numbers the recordings of each type, so that the server can name those that never arrive. */
export interface Numbers {
  /** The place of the next recording in its metadata. */
  next(payload_type: PayloadType): Sequence
  getPlace(announcement: Announcement, sequence: Sequence): Place
  /** Notes that an entry with this place is stored. */
  took(payload_type: PayloadType, place: Place): Promise<void>
}

/** The numbers as the store has them; entries tell of those that a crash kept from being noted. */
export async function openNumbers(store: PhoneStore, entries: readonly QueueEntry[]): Promise<Numbers> {
  let numbering: Numbering | undefined = await store.readNumbering()
  if (!numbering) await store.writeNumbering((numbering = { chain_id: randomUUID(), places: {} }))
  const { chain_id, places } = numbering
  for (const { announcement, place } of entries)
    if (place && place.seq > (places[announcement.payload_type]?.seq ?? 0))
      places[announcement.payload_type] = place
  return {
    next: (payload_type) => {
      const last = places[payload_type]
      return { chain_id, seq: (last?.seq ?? 0) + 1, prev_hash: last?.hash ?? null }
    },
    getPlace: ({ meta }, { seq }) => ({
      seq,
      hash: createHash('sha256').update(meta, 'base64').digest('hex'),
    }),
    async took(payload_type, place) {
      places[payload_type] = place
      await store.writeNumbering({ chain_id, places })
    },
  }
}

/**
 * Seals a recording under a DEK of its own (docs/envelope-format.md) into the store. Returns what makes its announcement,
 * with its place in the metadata. The DEK is not kept: from here on only the server can open the recording.
 */
export async function sealRecording(
  recording: Recording,
  key: AccountKey,
  store: PhoneStore,
): Promise<(sequence: Sequence) => Announcement> {
  const { payload_type, meta, data } = recording
  const { payload_reference, payload_time } = meta
  const ids = { client: key.client, payload_reference }
  const dek = newDek()
  const end = 'payload_end_time' in meta ? { payload_end_time: meta.payload_end_time } : {}
  const announce = (sequence: Sequence): Announcement => ({
    payload_reference,
    payload_type,
    payload_time,
    ...end,
    key_id: key.key_id,
    encrypted_dek: wrapDek(key.kek, dek),
    ...sealMeta(dek, { ...ids, kind: metaKind(payload_type) }, { ...meta, sequence }),
  })
  if (!data) return announce
  const sealed = hashing(seal(dek, associatedData({ ...ids, kind: 'original' }), data()))
  await store.writeSealed(payload_reference, sealed.stream)
  return (sequence) => ({ ...announce(sequence), checksum: sealed.digest(), size: sealed.size() })
}

/** Throws InvalidRecording for what the server would have to refuse. */
export function assertRecording({ payload_type, meta, data }: Recording): void {
  const dataless = isDataless(payload_type)
  if (dataless === (data !== undefined)) {
    throw new InvalidRecording(`${payload_type} ${dataless ? 'carries no data' : 'needs data'}`)
  }
  const parsed = PAYLOAD_META[payload_type].safeParse(meta, PARSE_OPTIONS)
  if (parsed.success) return
  const faults = toFaults(parsed.error.issues).map((each) => `${each.path}: ${each.code}`)
  throw new InvalidRecording(`the meta of this ${payload_type} is not valid: ${faults.join('; ')}`)
}
