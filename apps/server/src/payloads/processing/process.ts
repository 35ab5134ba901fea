import { isDataless } from '@custodia/contract'
import { noteSightings } from '../../carriers/store.ts'
import type { AppContext } from '../../app-context.ts'
import { forgetAttempts } from './attempts-store.ts'
import { STATE_CODES } from '../../payload-records/codes.ts'
import { examine } from './examine.ts'
import { ProcessingFailure } from '../failures.ts'
import { moveStates } from '../state-store.ts'
import { openMetadata } from './open-metadata.ts'
import { commitFailure, commitGood, type Accepted } from './process-commit.ts'
import { findSubjects, type Subject } from './subject-store.ts'

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
export async function processMany(
  ctx: AppContext,
  client_id: number,
  payload_ids: readonly number[],
  signal: AbortSignal,
): Promise<Failures> {
  const failures: Failures = new Map()
  const subjects = await enterScanning(ctx, client_id, await findSubjects(ctx, client_id, payload_ids))
  const good: Accepted[] = []
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
): Promise<Accepted | undefined> {
  try {
    const opened = await openMetadata(ctx, subject)
    // It names the mobile carriers of the device.
    await noteSightings(ctx, subject.client_id, opened.metadata)
    const examined = isDataless(subject.payload_type)
      ? undefined
      : await examine(ctx, subject, opened, signal)
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
  good: readonly Accepted[],
  failures: Failures,
): Promise<void> {
  if (good.length === 0) return
  try {
    const resting = await commitGood(ctx, client_id, good)
    // Another attempt was faster, so the objects of this one are removed.
    for (const { subject, examined } of good) if (!resting.has(subject.payload_id)) await examined?.discard()
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
  good: readonly Accepted[],
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
