import { ApiProblem } from '@custodia/client'
import {
  type Announcement,
  type AnnouncementAnswer,
  BATCH_LIMIT,
  type PayloadStatusAnswer,
} from '@custodia/contract'
import type { PhoneClock } from './clock.ts'
import { batches, inParallel } from './batches.ts'
import { type RetryPolicy, retrying } from './retry.ts'
import type { Session } from './session.ts'
import type { PhoneStore, QueueEntry, RefusalReason } from './store.ts'
import { putSealed } from './upload.ts'

/** A step of one payload. `uploaded`: acknowledged by the server. `freed`: it is processed and the phone's copy is gone. */
export interface PhoneEvent {
  type: 'queued' | 'announced' | 'uploaded' | 'failed' | 'refused' | 'freed'
  payload_reference: string
}

export interface SyncOptions {
  /** Seconds to wait for the server's checks; 0 sends what there is, asks once and returns. 120 unless told. */
  patience?: number
}

export interface SyncReport {
  freed: number
  /** Still to be sent or checked. */
  waiting: number
  refused: number
}

export interface Queue {
  has(payload_reference: string): boolean
  entries(): readonly QueueEntry[]
  add(announcement: Announcement): Promise<void>
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
  const { session, store, clock, onEvent } = options
  const queue = new Map<string, QueueEntry>()
  for (const entry of await store.entries()) {
    // Announcing again costs little, and finds out should the server wait for data that this phone believes to have sent.
    const state = entry.state === 'uploaded' ? 'queued' : entry.state
    queue.set(entry.announcement.payload_reference, { ...entry, state })
  }
  for (const reference of await store.sealedReferences()) {
    if (!queue.has(reference)) await store.removeSealed(reference)
  }
  let running: Promise<SyncReport> | undefined
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
    if (sends >= options.maxSends)
      return change(entry, { state: 'refused', refusal: 'failed', sends, reason }, 'refused')
    await change(entry, { state: 'queued', sends, reason }, 'failed')
  }

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

  async function checked(entry: QueueEntry, answer: PayloadStatusAnswer): Promise<void> {
    if (answer.status === 'processed') await free(entry)
    else if (answer.status === 'failed') {
      // Perhaps the key is not one of the account's any more; the next recording asks for it anew.
      if (answer.reason === 'undecryptable_key') await options.recheckKey()
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

  const inState = (state: QueueEntry['state']) => [...queue.values()].filter((each) => each.state === state)
  const weight = (entry: QueueEntry) => entry.announcement.meta.length

  async function run(patience: number): Promise<SyncReport> {
    const deadline = clock.now() + patience
    const freedBefore = freed
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(LONGEST_POLL_MS, pause * 1.5)) {
      for (const batch of batches(inState('queued'), BATCH_LIMIT, BATCH_CHARACTERS, weight)) {
        await announce(batch)
      }
      await askAfter(inState('uploaded'))
      const waiting = queue.size - inState('refused').length
      if (waiting === 0 || clock.now() >= deadline) {
        return { freed: freed - freedBefore, waiting, refused: queue.size - waiting }
      }
      await clock.sleep(pause)
    }
  }
  return {
    has: (payload_reference) => queue.has(payload_reference),
    entries: () => [...queue.values()],
    status,
    async add(announcement) {
      await change({ announcement, state: 'queued', sends: 0 }, {}, 'queued')
    },
    sync({ patience = 120 } = {}) {
      running ??= run(patience).finally(() => {
        running = undefined
      })
      return running
    },
  }
}
