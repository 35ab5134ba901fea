import { isDeepStrictEqual } from 'node:util'
import { DAY, getService, SERVICES } from '@custodia/contract'
import { type PolicyVersion, ruleSpans } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { type Cause, endRun } from '../destruction/store.ts'
import { periodicJob } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  type Act,
  findDue,
  findOldest,
  isPaused,
  notePosition,
  type RetentionPass,
  type Position,
  readClock,
  sharePolicies,
  takePosition,
} from './engine-store.ts'
import { type Client, COUNTED, getDue, expirePayloads } from './execution.ts'
import { destroyDueRecords } from './records/engine.ts'
import { destroyReleased, endGathering, gatherForReview } from './review/carry-out.ts'
import { findTakenOut } from './review/store.ts'
import { allPolicies, type StoredPolicy } from './store.ts'

/** Maximum number of payloads per transaction, which delays a parallel hold. */
const MAX = 500
/** Payloads that a pass reads at a time, in transactions. */
const WINDOW = 20
/** Seconds after which a pass restarts, to check skipped payloads again. */
const RESTART_SECONDS = DAY
/** Deletion first: a payload that is due for both is deleted before it is destroyed. */
const ACTS: readonly Act[] = ['delete', 'destroy']
interface Parts extends Pick<AppContext, 'db' | 'audit' | 'keys'> {
  /** Maximum number of payloads per transaction. */
  most?: number
}
/** Number of expired payloads. */
type ExpiredCounts = Record<(typeof COUNTED)[Act], number>

/**
 * Expires due payloads of an account by service, the oldest window first. Each batch commits with its audit entry and position, so
 * that workers repeat and lose nothing.
 */
export async function carryOut(parts: Parts, client: Client, signal: AbortSignal): Promise<ExpiredCounts> {
  const done: ExpiredCounts = { deleted: 0, destroyed: await destroyReleased(parts, client, signal, MAX) }
  for (const service of SERVICES)
    for (const act of ACTS)
      for (let last: Step = { count: 0, hasMore: true }; last.hasMore;) {
        signal.throwIfAborted()
        const { window } = last
        last = await parts.db.write(client.client_id, (tx) =>
          step(parts, tx, client, { service, act }, window),
        )
        done[COUNTED[act]] += last.count
      }
  await parts.db.write(client.client_id, async (tx) => {
    await endRun(tx, { longest: DAY })
    await endGathering(tx)
  })
  return done
}

/** Payloads that a pass has read. */
interface Window {
  /** The position after which they follow. */
  position: Position
  /** The last one, in the order of the pass; undefined: there are none. */
  last: { payload_time: number; payload_id: number } | undefined
  /** Whether others follow. */
  hasMore: boolean
  /**
   * The ones to check, by group and device: then a transaction changes few counters, each once. By time, nearly every
   * payload is of another device.
   */
  left: readonly number[]
}

interface Step {
  count: number
  hasMore: boolean
  /** What is left of the window. */
  window?: Window | undefined
}

const NOTHING: Step = { count: 0, hasMore: false }

async function step(
  { most = MAX, ...parts }: Omit<Parts, 'db'>,
  tx: Tx,
  client: Client,
  pass: RetentionPass,
  former: Window | undefined,
): Promise<Step> {
  await sharePolicies(tx)
  if (await isPaused(tx)) return NOTHING
  const versions = await allPolicies(tx)
  const days = firstDays(versions, pass)
  if (days === undefined) return NOTHING
  const now = await readClock(tx)
  const position = await takePosition(tx, pass, { now, anew: RESTART_SECONDS })
  if (position === undefined) return NOTHING
  const isSame = former && isDeepStrictEqual(former.position, position)
  const window = isSame ? former : await readWindow(tx, pass, position, now - days * DAY, most * WINDOW)
  const { due, causes, checked } = await firstDue(tx, window.left, { versions, act: pass.act, now, most })
  const count =
    due.length === 0 ? 0 : await expireBatch(parts, tx, client, { pass, versions, due, causes, now, most })
  const left = window.left.slice(checked)
  if (left.length > 0) {
    await notePosition(tx, pass, position)
    return { count, hasMore: true, window: { ...window, left } }
  }
  await notePosition(tx, pass, behind(position, window.last, window.hasMore ? null : now))
  return { count, hasMore: window.hasMore }
}

async function readWindow(
  tx: Tx,
  pass: RetentionPass,
  position: Position,
  until: number,
  limit: number,
): Promise<Window> {
  const found = await findOldest(tx, pass, { after: position, until, limit })
  const left = found
    .filter(({ is_there }) => is_there)
    .toSorted((a, b) => a.group_id - b.group_id || a.device_id - b.device_id)
    .map(({ payload_id }) => payload_id)
  return { position, last: found.at(-1), hasMore: found.length === limit, left }
}

/** The first due payloads, at most one transaction, with their reasons, and how many payloads were checked. */
async function firstDue(
  tx: Tx,
  payload_ids: readonly number[],
  { versions, act, now, most }: { versions: readonly StoredPolicy[]; act: Act; now: number; most: number },
): Promise<{ due: number[]; causes: Map<number, Cause>; checked: number }> {
  const causes = new Map<number, Cause>()
  let checked = 0
  while (checked < payload_ids.length && causes.size < most) {
    const found = await findDue(tx, payload_ids.slice(checked, checked + most))
    for (const [payload_id, cause] of getDue(found, versions, act, now)) causes.set(payload_id, cause)
    checked += most
  }
  const due = payload_ids.slice(0, checked).filter((id) => causes.has(id))
  // The next transaction continues after the last one.
  const last = due[most - 1]
  return last === undefined || due.length === most
    ? { due, causes, checked }
    : { due: due.slice(0, most), causes, checked: payload_ids.indexOf(last) + 1 }
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
    pass: RetentionPass
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
function firstDays(versions: readonly PolicyVersion[], { service, act }: RetentionPass): number | undefined {
  const days = ruleSpans(versions).flatMap(({ rule }) => {
    if (getService(rule.payload_type) !== service) return []
    const { delete_after_days, destroy_after_days } = rule
    const first = act === 'delete' ? (delete_after_days ?? destroy_after_days) : destroy_after_days
    return first === undefined ? [] : [first]
  })
  return days.length > 0 ? Math.min(...days) : undefined
}

/** Expires due payloads of all accounts. A failing client does not delay the others. */
export const carryOutRetention = periodicJob({
  name: 'retention.carry-out',
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
