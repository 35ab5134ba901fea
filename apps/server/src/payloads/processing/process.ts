import { type FailureCode, isDataless, type PayloadMeta, QUARANTINE_FAILURES } from '@custodia/contract'
import * as z from 'zod/mini'
import { raiseAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import { noteSightings } from '../../carriers/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { STATE_CODES } from '../../payload-records/codes.ts'
import { lockOriginal } from '../locks.ts'
import { countPayloads, countRejection, leaveWork, moveState, moveStates } from '../state-store.ts'
import {
  failureAlert,
  findSubjects,
  forgetAttempts,
  isResendable,
  ProcessingFailure,
  type Subject,
} from './attempts-store.ts'
import { correctEnds, insertDocuments, insertObjects, linkCopies } from './documents-store.ts'
import { examine, type ExaminedData, openMetadata } from './examine.ts'
import { renderPayload } from './render-job.ts'

/** A successfully examined payload. */
interface ExaminedPayload {
  subject: Subject
  metadata: PayloadMeta
  /** Absent for calls without a recording, which have only metadata. */
  examined: ExaminedData | undefined
}

/**
 * Sets payloads of one client to `Processed`, or `NotRecorded` without data, with document, numbers and
 * objects; the number of statements does not grow. Resolves to the committed ones; another attempt was faster
 * with the others.
 */
async function commitGood(
  ctx: AppContext,
  client_id: number,
  all: readonly ExaminedPayload[],
): Promise<Set<number>> {
  const getIds = (some: readonly ExaminedPayload[]) => some.map(({ subject }) => subject.payload_id)
  const now = ctx.now()
  const scanned = { from: ['Scanning'], now, by: 'worker' } as const
  return ctx.db.write(client_id, async (tx) => {
    const withData = getIds(all.filter(({ examined }) => examined))
    const without = getIds(all.filter(({ examined }) => !examined))
    const processed = await moveStates(tx, { ...scanned, payload_ids: withData, to: 'Processed' })
    const notRecorded = await moveStates(tx, { ...scanned, payload_ids: without, to: 'NotRecorded' })
    const moved = new Set([...processed, ...notRecorded])
    const finished = all.filter(({ subject }) => moved.has(subject.payload_id))
    if (finished.length === 0) return moved
    const objects = finished.flatMap(({ subject, examined }) =>
      (examined?.objects ?? []).map((object) => ({ ...object, payload_id: subject.payload_id })),
    )
    await insertObjects(tx, objects, now)
    const copies = await linkCopies(tx, finished, now)
    await insertDocuments(tx, finished, now)
    await correctEnds(tx, finished)
    for (const { payload_id, details } of objects)
      if (details.being_prepared) await ctx.jobs.send(tx, renderPayload, { client_id, payload_id })
    await leaveWork(tx, [...moved])
    // Last: announcements of the client wait for these counter rows until the commit.
    await countPayloads(tx, copies, -1)
    return moved
  })
}

const QUARANTINED: ReadonlySet<FailureCode> = new Set(QUARANTINE_FAILURES)

/** Sets the payload to Failed with its reason and reports it to the client's staff. Removes nothing. */
async function commitFailure(
  ctx: AppContext,
  subject: Subject,
  failure: FailureCode,
  metadata: PayloadMeta | undefined,
): Promise<void> {
  const { client_id, payload_id } = subject
  await ctx.db.write(client_id, async (tx) => {
    const rests = QUARANTINED.has(failure) ? 'Quarantined' : 'Failed'
    const by = { from: ['Scanning'], now: ctx.now(), by: 'worker' } as const
    if (!(await moveState(tx, { ...by, payload_id, to: rests, failure }))) return
    // The sweep continues to look for data that the device sends again.
    if (!isResendable(failure)) await leaveWork(tx, [payload_id])
    else {
      // The received bytes stay; the device's next upload gets another key.
      await countRejection(tx, payload_id)
    }
    if (metadata) {
      await insertDocuments(tx, [{ subject, metadata }], ctx.now())
      await correctEnds(tx, [{ subject, metadata }])
    }
    await raiseAlert(tx, failureAlert(subject, failure, ctx.now()))
  })
}

/** Payloads of a batch opened concurrently: keys are unwrapped in threads, and the cores limit those. */
const AT_ONCE = 8

/** Payloads that failed for now, and why. */
type Failures = Map<number, unknown>

/** As `processMany`, for one payload. Throws when a service is unavailable. */
export async function processOne(
  ctx: AppContext,
  client_id: number,
  payload_id: number,
  signal: AbortSignal,
): Promise<void> {
  const failures = await processMany(ctx, client_id, [payload_id], signal)
  if (failures.has(payload_id)) throw failures.get(payload_id)
}

/**
 * Brings payloads of one client to a final state: `Processed`, `Failed`, `Quarantined` or `NotRecorded`. Good
 * ones are committed together, or alone when that fails. Safe to repeat; only a commit counts. Resolves to
 * those for which a service was unavailable.
 */
async function processMany(
  ctx: AppContext,
  client_id: number,
  payload_ids: readonly number[],
  signal: AbortSignal,
): Promise<Failures> {
  const failures: Failures = new Map()
  const subjects = await enterScanning(ctx, client_id, await findSubjects(ctx, client_id, payload_ids))
  const good: ExaminedPayload[] = []
  await atOnce(subjects, async (subject) => {
    try {
      const found = await attempt(ctx, subject, signal)
      if (found) good.push(found)
    } catch (error) {
      failures.set(subject.payload_id, error)
    }
  })
  await commit(ctx, client_id, good, failures)
  return failures
}

/** The payloads that are `Scanning` now, also from a crashed attempt. */
async function enterScanning(
  ctx: AppContext,
  client_id: number,
  subjects: readonly Subject[],
): Promise<Subject[]> {
  const uploaded = subjects.filter(({ state }) => state !== STATE_CODES.Scanning)
  const payload_ids = uploaded.map(({ payload_id }) => payload_id)
  const moves = { payload_ids, from: ['Uploaded'], to: 'Scanning', by: 'worker' } as const
  const moved =
    uploaded.length > 0
      ? await ctx.db.write(client_id, (tx) => moveStates(tx, { ...moves, now: ctx.now() }))
      : new Set()
  return subjects.filter(({ state, payload_id }) => state === STATE_CODES.Scanning || moved.has(payload_id))
}

async function atOnce(
  subjects: readonly Subject[],
  work: (subject: Subject) => Promise<void>,
): Promise<void> {
  const left = subjects.values()
  const worker = async () => {
    for (const subject of left) await work(subject)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** The result of a good payload; undefined when it failed. Throws when a service is unavailable. */
async function attempt(
  ctx: AppContext,
  subject: Subject,
  signal: AbortSignal,
): Promise<ExaminedPayload | undefined> {
  try {
    const opened = await openMetadata(ctx, subject)
    // It names the mobile carriers of the device.
    await noteSightings(ctx, subject.client_id, opened.metadata)
    const examined = isDataless(subject.payload_type)
      ? undefined
      : await examine(ctx, subject, opened, signal)
    if (examined) await lockOriginal(ctx, subject, examined)
    return { subject, metadata: opened.metadata, examined }
  } catch (error) {
    if (!(error instanceof ProcessingFailure)) {
      await forgetAttempts(ctx, subject)
      throw error
    }
    await commitFailure(ctx, subject, error.code, await metadataIfAny(ctx, subject))
    return undefined
  }
}

/**
 * A commit without a response may have happened. Objects are removed only when no commit failed; else the
 * sweep removes unused ones.
 */
async function commit(
  ctx: AppContext,
  client_id: number,
  good: readonly ExaminedPayload[],
  failures: Failures,
): Promise<void> {
  if (good.length === 0) return
  try {
    const finished = await commitGood(ctx, client_id, good)
    // Another attempt was faster, so the objects of this one are removed.
    for (const { subject, examined } of good) if (!finished.has(subject.payload_id)) await examined?.discard()
  } catch (error) {
    if (good.length === 1) return notify(ctx, good, failures, error)
    for (const each of good)
      await commitGood(ctx, client_id, [each]).catch((failure: unknown) =>
        notify(ctx, [each], failures, failure),
      )
  }
}

async function notify(
  ctx: AppContext,
  good: readonly ExaminedPayload[],
  failures: Failures,
  error: unknown,
): Promise<void> {
  for (const { subject } of good) {
    failures.set(subject.payload_id, error)
    await forgetAttempts(ctx, subject)
  }
}

/** A failed payload may still have readable metadata, so that people see whose call it was. */
async function metadataIfAny(ctx: AppContext, subject: Subject) {
  try {
    return (await openMetadata(ctx, subject)).metadata
  } catch (error) {
    if (error instanceof ProcessingFailure) return undefined
    throw error
  }
}

/** Largest small payload in bytes; small ones are processed together. */
const SMALL = 1024 ** 2
/** CPU seconds of any payload, and the bytes that take a further second. */
const PER_PAYLOAD = 0.01
const PER_SECOND = 200 * 1024 ** 2

/**
 * Checks, decrypts and derives what one payload needs before people may see it. One run per payload at a
 * time.
 */
export const processPayload = jobKind({
  name: 'payloads.process',
  input: z.object({ client_id: z.int(), payload_id: z.int(), size: z.optional(z.int()) }),
  key: ({ payload_id }) => String(payload_id),
  fair: {
    // Small payloads do not wait for the bytes of large ones.
    lanes: { evidence: { batch: 32, workers: 2 }, large_evidence: { batch: 1, workers: 2 } },
    client: ({ client_id }) => client_id,
    place: ({ size = 0 }) => ({
      lane: size <= SMALL ? 'evidence' : 'large_evidence',
      cost: PER_PAYLOAD + size / PER_SECOND,
    }),
  },
  run: (ctx, { client_id, payload_id }, signal) => processOne(ctx, client_id, payload_id, signal),
  async runAll(ctx, inputs, signal) {
    const errors = new Map<number, unknown>()
    await Promise.all(
      [...Map.groupBy(inputs, ({ client_id }) => client_id)].map(async ([client_id, some]) => {
        const payload_ids = some.map(({ payload_id }) => payload_id)
        const failures = await processMany(ctx, client_id, payload_ids, signal).catch(
          (error: unknown) => new Map(payload_ids.map((payload_id) => [payload_id, error])),
        )
        for (const [payload_id, error] of failures) errors.set(payload_id, error)
      }),
    )
    return inputs.map(({ payload_id }) => errors.get(payload_id))
  },
  // A service is down for long. Nothing is lost: the sweep queues the work again, and the device keeps its
  // copy.
  dead: (ctx, { client_id }) =>
    ctx.db.write(client_id, (tx) =>
      raiseAlert(tx, {
        alert_scopes: ['ops'],
        alert_targets: ['client', 'admin'],
        alert_type: 'PayloadAlert',
        alert_key: 'processing stalls',
        text: 'processing_stalls',
        alert_severity: 'High',
        now: ctx.now(),
      }),
    ),
})
