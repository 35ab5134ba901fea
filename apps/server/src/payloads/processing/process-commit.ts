import type { FailureCode, PayloadMeta } from '@custodia/contract'
import { raiseAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import type { Examined } from './examine.ts'
import { countPayloads } from '../counts-store.ts'
import { failureAlert, isResendable } from '../failures.ts'
import { linkCopies } from './copies-store.ts'
import { insertDocuments } from './documents-store.ts'
import { insertObjects } from './objects-store.ts'
import { countRejection, leaveWork, moveState, moveStates } from '../state-store.ts'
import type { Subject } from './subject-store.ts'
import { renderPayload } from './render-job.ts'

/** A successfully examined payload. */
export interface Accepted {
  subject: Subject
  metadata: PayloadMeta
  /** Absent for calls without a recording, which have only metadata. */
  examined: Examined | undefined
}

/**
 * Sets payloads of one client to `Processed`, or `NotRecorded` without data, with document, numbers and
 * objects; the number of statements does not grow. Resolves to the committed ones; another attempt was faster
 * with the others.
 */
export async function commitGood(
  ctx: AppContext,
  client_id: number,
  all: readonly Accepted[],
): Promise<Set<number>> {
  const idsOf = (some: readonly Accepted[]) => some.map(({ subject }) => subject.payload_id)
  const now = ctx.now()
  const scanned = { from: ['Scanning'], now, by: 'worker' } as const
  return ctx.db.write(client_id, async (tx) => {
    const withData = idsOf(all.filter(({ examined }) => examined))
    const without = idsOf(all.filter(({ examined }) => !examined))
    const processed = await moveStates(tx, { ...scanned, payload_ids: withData, to: 'Processed' })
    const notRecorded = await moveStates(tx, { ...scanned, payload_ids: without, to: 'NotRecorded' })
    const moved = new Set([...processed, ...notRecorded])
    const resting = all.filter(({ subject }) => moved.has(subject.payload_id))
    if (resting.length === 0) return moved
    const copies = await linkCopies(tx, resting, now)
    await insertDocuments(tx, resting, now)
    const objects = resting.flatMap(({ subject, examined }) =>
      (examined?.objects ?? []).map((object) => ({ ...object, payload_id: subject.payload_id })),
    )
    await insertObjects(tx, objects, now)
    for (const { payload_id, details } of objects)
      if (details.being_prepared) await ctx.jobs.send(tx, renderPayload, { client_id, payload_id })
    await leaveWork(tx, [...moved])
    // Last: announcements of the client wait for these counter rows until the commit.
    await countPayloads(tx, copies, -1)
    return moved
  })
}

const QUARANTINED: ReadonlySet<FailureCode> = new Set<FailureCode>(['malware_found', 'scan_limit_exceeded'])

/** Sets the payload to Failed with its reason and reports it to the client's staff. Removes nothing. */
export async function commitFailure(
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
    if (metadata) await insertDocuments(tx, [{ subject, metadata }], ctx.now())
    await raiseAlert(tx, failureAlert(subject, failure, ctx.now()))
  })
}
