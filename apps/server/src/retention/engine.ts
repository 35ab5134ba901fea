import { SERVICES, serviceOf } from '@custodia/contract'
import { type PolicyVersion, ruleSpans } from '@custodia/domain'
import { type Cause, endRun } from '../destruction/store.ts'
import type { AppContext } from '../app-context.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type Client, COUNTED, dueOf, go } from './act.ts'
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
import { destroyReleased, endGathering, gatherWhereAsked } from './review/carry-out.ts'
import { findTakenOut } from './review/store.ts'
import { allPolicies, type StoredPolicy } from './store.ts'

const DAY = 86_400
/** Payloads that go in one transaction at most; more of them keep whoever sets a hold waiting. So many times more are looked at. */
const MOST = 500
const LOOKED_AT = 4
/** Seconds after which a pass begins anew: what was held, or waited, when it was passed is looked at again. */
const ANEW = DAY
/** In this order: what is destroyed without having been deleted for days is deleted before. */
const ACTS: readonly Act[] = ['delete', 'destroy']
interface Parts extends Pick<AppContext, 'db' | 'audit' | 'keys'> {
  /** Payloads that go in one transaction at most. */
  most?: number
}
/** How many payloads went. */
type Done = Record<(typeof COUNTED)[Act], number>

/**
 * Deletes and destroys what is due by the policies of an account, service by service and the oldest first. Each batch is a transaction with its audit
 * entry and with how far it came, so that whoever is broken off, or is one of several, loses and repeats nothing. Only the clock of the database
 * makes anything due; in doubt a payload stays.
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
  const position = await takePosition(tx, pass, { now, anew: ANEW })
  if (position === undefined) return NOTHING
  const until = now - days * DAY
  const found = await findOldest(tx, pass, { after: position, until, limit: most * LOOKED_AT })
  const there = found.flatMap(({ is_there, payload_id }) => (is_there ? [payload_id] : []))
  const { all, isWhole } = await firstDue(tx, there, { versions, act: pass.act, now, most })
  const due = there.filter((id) => all.has(id)).slice(0, most)
  // More than a transaction takes: the next goes on behind the last that this one takes.
  const seen =
    all.size > most || !isWhole
      ? found.slice(0, found.findIndex(({ payload_id }) => payload_id === due.at(-1)) + 1)
      : found
  const count =
    due.length === 0 ? 0 : await handle(parts, tx, client, { pass, versions, due, causes: all, now, most })
  const hasMore = seen.length < found.length || found.length === most * LOOKED_AT
  await notePosition(tx, pass, behind(position, seen.at(-1), hasMore ? null : now))
  return { count, hasMore }
}

/** What is due of these payloads, as many at a time as may go, and no more than fills a transaction; and whether all of them were looked at. */
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

/** Has what is due go; where destructions wait for somebody who looks at them, it comes into a list instead. Resolves to how many went. */
async function handle(
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
  if (act === 'destroy' && (await gatherWhereAsked(tx, due, { ...rest, most }))) return 0
  const out = act === 'destroy' ? await findTakenOut(tx, due) : new Set()
  const going = due.filter((id) => !out.has(id))
  const went = await go(parts, tx, client, { act, of: { service }, due: going, ...rest })
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

/**
 * After how many days from the recording something of a service could go at the earliest; undefined: never. What is destroyed without having been
 * deleted for days is deleted as soon as it may be destroyed.
 */
function firstDays(versions: readonly PolicyVersion[], { service, act }: Pass): number | undefined {
  const days = ruleSpans(versions).flatMap(({ rule }) => {
    if (serviceOf(rule.payload_type) !== service) return []
    const { delete_after_days, destroy_after_days } = rule
    const first = act === 'delete' ? (delete_after_days ?? destroy_after_days) : destroy_after_days
    return first === undefined ? [] : [first]
  })
  return days.length > 0 ? Math.min(...days) : undefined
}
