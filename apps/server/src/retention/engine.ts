import { SERVICES, serviceOf } from '@custodia/contract'
import { decide, deliveredBy, type PolicyVersion, ruleFor, ruleSpans, transferredAt } from '@custodia/domain'
import { type Cause, destroyPayloads, endRun, openRun } from '../destruction/store.ts'
import type { House } from '../house.ts'
import { RETENTION } from '../http/context.ts'
import { systemEntry } from '../http/system-entry.ts'
import { deletePayloads, notePayloadAudit } from '../payloads/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  type Act,
  type Due,
  findDue,
  findOldest,
  isPaused,
  noteDeeds,
  notePosition,
  type Pass,
  type Position,
  readClock,
  sharePolicies,
  takePosition,
} from './engine-store.ts'
import { allPolicies, type StoredPolicy } from './store.ts'

const DAY = 86_400
/** Payloads that go in one transaction at most; more of them keep whoever sets a hold waiting. So many times more are looked at. */
const MOST = 500
const LOOKED_AT = 4
/** Seconds after which a pass begins anew: what was held, or waited, when it was passed is looked at again. */
const ANEW = DAY
/** In this order: what is destroyed without having been deleted for days is deleted before. */
const ACTS: readonly Act[] = ['delete', 'destroy']
/** What it does, as audit entries name it. */
const ACTIONS = { delete: 'retention:delete', destroy: 'retention:destroy' } as const
/** How it is counted there. */
const COUNTED = { delete: 'deleted', destroy: 'destroyed' } as const

interface Parts extends Pick<House, 'db' | 'audit'> {
  /** Payloads that go in one transaction at most. */
  most?: number
}
interface Client {
  client_id: number
  client: string
}
/** How many payloads went. */
type Done = Record<(typeof COUNTED)[Act], number>

/**
 * Deletes and destroys what is due by the policies of an account, service by service and the oldest first. Each batch is a transaction with its audit
 * entry and with how far it came, so that whoever is broken off, or is one of several, loses and repeats nothing. Only the clock of the database
 * makes anything due; in doubt a payload stays.
 */
export async function carryOut(parts: Parts, client: Client, signal: AbortSignal): Promise<Done> {
  const done: Done = { deleted: 0, destroyed: 0 }
  for (const service of SERVICES)
    for (const act of ACTS)
      for (let goesOn = true; goesOn;) {
        signal.throwIfAborted()
        const each = await parts.db.write(client.client_id, (tx) => step(parts, tx, client, { service, act }))
        done[COUNTED[act]] += each.count
        goesOn = each.goesOn
      }
  await parts.db.write(client.client_id, (tx) => endRun(tx, { longest: DAY }))
  return done
}

const NOTHING = { count: 0, goesOn: false }

async function step(
  { audit, most = MOST }: Pick<Parts, 'audit' | 'most'>,
  tx: Tx,
  client: Client,
  pass: Pass,
): Promise<{ count: number; goesOn: boolean }> {
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
  const all = dueOf(await findDue(tx, there), versions, pass.act, now)
  const due = there.filter((id) => all.has(id)).slice(0, most)
  // More than a transaction takes: the next goes on behind the last that this one takes.
  const seen =
    all.size > most
      ? found.slice(0, found.findIndex(({ payload_id }) => payload_id === due.at(-1)) + 1)
      : found
  const count = due.length === 0 ? 0 : await go(audit, tx, client, { pass, versions, due, causes: all, now })
  const goesOn = seen.length < found.length || found.length === most * LOOKED_AT
  await notePosition(tx, pass, behind(position, seen.at(-1), goesOn ? null : now))
  return { count, goesOn }
}

/** Has what is due go, and notes it. Resolves to how many went. */
async function go(
  audit: Parts['audit'],
  tx: Tx,
  client: Client,
  {
    pass: { service, act },
    versions,
    due,
    causes,
    now,
  }: {
    pass: Pass
    versions: readonly StoredPolicy[]
    due: readonly number[]
    causes: ReadonlyMap<number, Cause>
    now: number
  },
): Promise<number> {
  const doing = { now, by: RETENTION }
  // Locked then: nobody restores it, or hands over what it waits for, before this ends.
  const still = async () => new Set(dueOf(await findDue(tx, due), versions, act, await readClock(tx)).keys())
  const run_id = act === 'destroy' ? await openRun(tx) : undefined
  const taken =
    run_id === undefined
      ? await deletePayloads(tx, due, doing, still)
      : await destroyPayloads(tx, due, { ...doing, run_id, causes }, still)
  if (taken.length === 0) return 0
  const policy_version = versions.at(-1)?.policy_version ?? 0
  const entry = systemEntry(client, { at: now, by: RETENTION }, ACTIONS[act], {
    service,
    policy_version,
    [COUNTED[act]]: taken.length,
    run_id,
  })
  await audit.appendWithin(tx, entry)
  const ids = taken.map(({ payload_id }) => payload_id)
  const noted = { at: now, log_id: entry.log_id, portal_user: RETENTION, action: ACTIONS[act] }
  await notePayloadAudit(tx, ids, noted)
  await noteDeeds(tx, act, now, taken)
  return taken.length
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

/**
 * Which of these are due for an act as `decide` says, and by what; holds are asked under lock, when they go. What is there and due for destruction
 * is due for deletion: nothing is destroyed that was not deleted.
 */
function dueOf(
  found: readonly Due[],
  versions: readonly StoredPolicy[],
  act: Act,
  now: number,
): Map<number, Cause> {
  const minimums = versions.at(-1)?.minimums ?? []
  const due = new Map<number, Cause>()
  for (const { payload_id, payload: known, receipts, deliveries } of found) {
    const rule = ruleFor(known, versions)
    const version = rule && versions.find(({ entries }) => entries.some((entry) => entry === rule))
    if (!rule || !version) continue
    const policy = { rules: [rule], minimums }
    const payload = { ...known, transferred_at: transferredAt(rule.required_transfers, deliveries) }
    const transfers = deliveredBy(deliveries)
    const { verdict } = decide({ payload, policy, holds: [], receipts, transfers }, now)
    const isFor = payload.payload_state === 'Deleted' ? 'destroy' : 'delete'
    if (verdict !== 'keep' && isFor === act)
      due.set(payload_id, { policy_version: version.policy_version, rule, receipts, transfers })
  }
  return due
}
