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

/** A payload that was found good. */
export interface Accepted {
  subject: Subject
  metadata: PayloadMeta
  /** Absent for calls that were not recorded: their metadata is all there is. */
  examined: Examined | undefined
}

/**
 * Payloads of one client are `Processed`, or `NotRecorded` where there is no data, each with its document, numbers and objects: all at
 * once, in as many statements for thirty as for one. Resolves to those that came to rest; with the others another attempt was faster.
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
    // Last: counts are what announcements of one client wait for each other at, until the commit.
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
    // The sweep keeps looking for data that the phone sends again.
    if (!isResendable(failure)) await leaveWork(tx, [payload_id])
    else {
      // The bytes that came stay where they are; the phone's next upload gets a place of its own.
      await countRejection(tx, payload_id)
    }
    if (metadata) await insertDocuments(tx, [{ subject, metadata }], ctx.now())
    await raiseAlert(tx, failureAlert(subject, failure, ctx.now()))
  })
}
