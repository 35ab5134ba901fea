import { type Service, SERVICES, serviceOf } from '@custodia/contract'
import { decide, type PolicyVersion, ruleFor, ruleSpans } from '@custodia/domain'
import type { House } from '../house.ts'
import { loggedParameters, newLogId } from '../http/audit.ts'
import { type AuditEntry, RETENTION } from '../http/context.ts'
import { deletePayloads, notePayloadAudit } from '../payloads/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  type Due,
  findDue,
  findOldest,
  isPaused,
  noteDeeds,
  notePosition,
  type Position,
  readClock,
  sharePolicies,
  takePosition,
} from './engine-store.ts'
import { allPolicies, type StoredPolicy } from './store.ts'

const DAY = 86_400
/** Payloads that are looked at in one transaction, and of them that are deleted at most. */
const LOOKED_AT = 500
const BATCH = 100
/** Seconds after which a pass begins anew: what was held, or waited, when it was passed is looked at again. */
const ANEW = DAY
/** What it does, as audit entries name it. */
const ACTION = 'retention:delete'

type Parts = Pick<House, 'db' | 'audit'>
interface Client {
  client_id: number
  client: string
}

/**
 * Deletes what is due by the policies of an account, service by service and the oldest first. Each batch is a transaction with its audit entry and with
 * how far it came, so that whoever is broken off, or is one of several, loses and repeats nothing. Only the clock of the database makes
 * anything due; in doubt a payload stays. Resolves to how many were deleted.
 */
export async function carryOut(parts: Parts, client: Client, signal: AbortSignal): Promise<number> {
  let deleted = 0
  for (const service of SERVICES) {
    for (let goesOn = true; goesOn;) {
      signal.throwIfAborted()
      const done = await parts.db.write(client.client_id, (tx) => step(parts, tx, client, service))
      deleted += done.deleted
      goesOn = done.goesOn
    }
  }
  return deleted
}

const NOTHING = { deleted: 0, goesOn: false }

async function step(
  { audit }: Pick<Parts, 'audit'>,
  tx: Tx,
  client: Client,
  service: Service,
): Promise<{ deleted: number; goesOn: boolean }> {
  await sharePolicies(tx)
  if (await isPaused(tx)) return NOTHING
  const versions = await allPolicies(tx)
  const days = firstStep(versions, service)
  if (days === undefined) return NOTHING
  const now = await readClock(tx)
  const position = await takePosition(tx, service, { now, anew: ANEW })
  if (position === undefined) return NOTHING
  const until = now - days * DAY
  const found = await findOldest(tx, service, { after: position, until, limit: LOOKED_AT })
  const there = found.flatMap(({ is_there, payload_id }) => (is_there ? [payload_id] : []))
  const all = dueOf(await findDue(tx, there), versions, now)
  const due = there.filter((id) => all.has(id)).slice(0, BATCH)
  // More than a transaction takes: the next goes on behind the last that this one takes.
  const seen =
    all.size > BATCH
      ? found.slice(0, found.findIndex(({ payload_id }) => payload_id === due.at(-1)) + 1)
      : found
  const taken = await deletePayloads(tx, due, { now, by: RETENTION }, async () =>
    // Locked now: nobody restores it, or hands over what it waits for, before this ends.
    dueOf(await findDue(tx, due), versions, await readClock(tx)),
  )
  const ids = taken.map(({ payload_id }) => payload_id)
  if (ids.length > 0) {
    const entry = entryOf(client, now, { service, versions, deleted: ids.length })
    await audit.appendWithin(tx, entry)
    await notePayloadAudit(tx, ids, { at: now, log_id: entry.log_id, portal_user: RETENTION, action: ACTION })
    await noteDeeds(tx, now, taken)
  }
  const goesOn = seen.length < found.length || found.length === LOOKED_AT
  await notePosition(tx, service, behind(position, seen.at(-1), goesOn ? null : now))
  return { deleted: ids.length, goesOn }
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

/** After how many days from the recording something of a service could be deleted at the earliest; undefined: never. */
function firstStep(versions: readonly PolicyVersion[], service: Service): number | undefined {
  const days = ruleSpans(versions).flatMap(({ rule }) =>
    serviceOf(rule.payload_type) === service && rule.delete_after_days !== undefined
      ? [rule.delete_after_days]
      : [],
  )
  return days.length > 0 ? Math.min(...days) : undefined
}

/** Which of these are to be deleted as `decide` says; holds are asked under lock, when they are. */
function dueOf(found: readonly Due[], versions: readonly StoredPolicy[], now: number): Set<number> {
  const minimums = versions.at(-1)?.minimums ?? []
  return new Set(
    found.flatMap(({ payload_id, payload, receipts }) => {
      const rule = ruleFor(payload, versions)
      if (!rule) return []
      const policy = { rules: [rule], minimums }
      const { verdict } = decide({ payload, policy, holds: [], receipts, transfers: [] }, now)
      return verdict === 'delete' ? [payload_id] : []
    }),
  )
}

function entryOf(
  { client_id }: Client,
  at: number,
  { service, versions, deleted }: { service: Service; versions: readonly StoredPolicy[]; deleted: number },
): AuditEntry {
  const log_id = newLogId()
  const facts = { service, policy_version: versions.at(-1)?.policy_version ?? 0, deleted }
  return {
    log_id,
    caller: {
      kind: 'portal',
      client_id,
      user_reference: RETENTION,
      user_group: null,
      group_id: null,
      roles: [],
    },
    // Nobody called.
    ip: '',
    browser: undefined,
    activity_time: at,
    activity_end_time: at,
    duration: 0,
    action: ACTION,
    is_allowed: true,
    denial_reason: null,
    parameters: loggedParameters({ body: facts }, []),
    status_code: 200,
    request_id: log_id,
  }
}
