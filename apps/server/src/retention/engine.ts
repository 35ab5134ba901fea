import { SERVICES, serviceOf } from '@custodia/contract'
import { type PolicyVersion, ruleSpans } from '@custodia/domain'
import { type Cause, endRun } from '../destruction/store.ts'
import type { AppContext } from '../app-context.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type Client, COUNTED, dueOf, expirePayloads } from './execution.ts'
import {
  type Act,
  findDue,
  findOldest,
  isPaused,
  notePosition,
  type Pass,
  type Position,
  readClock,
  sharePolicies,
  takePosition,
} from './engine-store.ts'
import { destroyReleased, endGathering, gatherForReview } from './review/carry-out.ts'
import { findTakenOut } from './review/store.ts'
import { allPolicies, type StoredPolicy } from './store.ts'
import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import { jobKind } from '../jobs/kind.ts'
import { destroyDueRecords } from './records/engine.ts'

const DAY = 86_400
/** Maximum number of payloads per transaction, which delays a parallel hold; one look covers a multiple of it. */
const MOST = 500
const CANDIDATES = 4
/** Seconds after which a pass restarts, to check skipped payloads again. */
const RESTART_SECONDS = DAY
/** Deletion first: a payload that is due for both is deleted before it is destroyed. */
const ACTS: readonly Act[] = ['delete', 'destroy']
interface Parts extends Pick<AppContext, 'db' | 'audit' | 'keys'> {
  /** Maximum number of payloads per transaction. */
  most?: number
}
/** Number of expired payloads. */
type Done = Record<(typeof COUNTED)[Act], number>

/**
 * Expires due payloads of an account by service, oldest first. Each batch commits with its audit entry and position, so
 * that workers repeat and lose nothing.
 */
export async function carryOut(parts: Parts, client: Client, signal: AbortSignal): Promise<Done> {
  const done: Done = { deleted: 0, destroyed: await destroyReleased(parts, client, signal, MOST) }
  for (const service of SERVICES)
    for (const act of ACTS)
      for (let hasMore = true; hasMore;) {
        signal.throwIfAborted()
        const each = await parts.db.write(client.client_id, (tx) => step(parts, tx, client, { service, act }))
        done[COUNTED[act]] += each.count
        hasMore = each.hasMore
      }
  await parts.db.write(client.client_id, async (tx) => {
    await endRun(tx, { longest: DAY })
    await endGathering(tx)
  })
  return done
}

const NOTHING = { count: 0, hasMore: false }

async function step(
  { most = MOST, ...parts }: Omit<Parts, 'db'>,
  tx: Tx,
  client: Client,
  pass: Pass,
): Promise<{ count: number; hasMore: boolean }> {
  await sharePolicies(tx)
  if (await isPaused(tx)) return NOTHING
  const versions = await allPolicies(tx)
  const days = firstDays(versions, pass)
  if (days === undefined) return NOTHING
  const now = await readClock(tx)
  const position = await takePosition(tx, pass, { now, anew: RESTART_SECONDS })
  if (position === undefined) return NOTHING
  const until = now - days * DAY
  const found = await findOldest(tx, pass, { after: position, until, limit: most * CANDIDATES })
  const there = found.flatMap(({ is_there, payload_id }) => (is_there ? [payload_id] : []))
  const { all, isWhole } = await firstDue(tx, there, { versions, act: pass.act, now, most })
  const due = there.filter((id) => all.has(id)).slice(0, most)
  // A full batch ends after its last payload; the next batch continues there.
  const seen =
    all.size > most || !isWhole
      ? found.slice(0, found.findIndex(({ payload_id }) => payload_id === due.at(-1)) + 1)
      : found
  const count =
    due.length === 0
      ? 0
      : await expireBatch(parts, tx, client, { pass, versions, due, causes: all, now, most })
  const hasMore = seen.length < found.length || found.length === most * CANDIDATES
  await notePosition(tx, pass, behind(position, seen.at(-1), hasMore ? null : now))
  return { count, hasMore }
}

/** The first due payloads, at most one transaction, and whether all candidates were checked. */
async function firstDue(
  tx: Tx,
  payload_ids: readonly number[],
  { versions, act, now, most }: { versions: readonly StoredPolicy[]; act: Act; now: number; most: number },
): Promise<{ all: Map<number, Cause>; isWhole: boolean }> {
  const all = new Map<number, Cause>()
  for (let i = 0; i < payload_ids.length; i += most) {
    if (all.size >= most) return { all, isWhole: false }
    const found = await findDue(tx, payload_ids.slice(i, i + most))
    for (const [payload_id, cause] of dueOf(found, versions, act, now)) all.set(payload_id, cause)
  }
  return { all, isWhole: true }
}

/** Expires due payloads, or adds them to a list when destructions need a review. Resolves to the number expired. */
async function expireBatch(
  parts: Pick<Parts, 'audit' | 'keys'>,
  tx: Tx,
  client: Client,
  {
    pass: { service, act },
    due,
    most,
    ...rest
  }: {
    pass: Pass
    versions: readonly StoredPolicy[]
    due: readonly number[]
    causes: ReadonlyMap<number, Cause>
    now: number
    most: number
  },
): Promise<number> {
  if (act === 'destroy' && (await gatherForReview(tx, due, { ...rest, most }))) return 0
  const out = act === 'destroy' ? await findTakenOut(tx, due) : new Set()
  const going = due.filter((id) => !out.has(id))
  const went = await expirePayloads(parts, tx, client, { act, of: { service }, due: going, ...rest })
  return went.length
}

const behind = (
  { payload_time, payload_id, began_at }: Position,
  last: { payload_time: number; payload_id: number } | undefined,
  ended_at: number | null,
): Position => ({
  payload_time: last?.payload_time ?? payload_time,
  payload_id: last?.payload_id ?? payload_id,
  began_at,
  ended_at,
})

/** Minimum days from recording to an act for a service; undefined: never. */
function firstDays(versions: readonly PolicyVersion[], { service, act }: Pass): number | undefined {
  const days = ruleSpans(versions).flatMap(({ rule }) => {
    if (serviceOf(rule.payload_type) !== service) return []
    const { delete_after_days, destroy_after_days } = rule
    const first = act === 'delete' ? (delete_after_days ?? destroy_after_days) : destroy_after_days
    return first === undefined ? [] : [first]
  })
  return days.length > 0 ? Math.min(...days) : undefined
}

/** Expires due payloads of all accounts. A failing client does not delay the others. */
export const carryOutRetention = jobKind({
  name: 'retention.carry-out',
  input: z.object({}),
  every: 600,
  async run(ctx, _input, signal) {
    const failures: unknown[] = []
    for (const client of await listClients(ctx.db)) {
      signal.throwIfAborted()
      try {
        await carryOut(ctx, client, signal)
        await destroyDueRecords(ctx, client, signal)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Retention failed for some clients.')
  },
})
