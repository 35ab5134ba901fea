import {
  DAY_COUNTS_SHOWN,
  FORECAST_MONTHS,
  type PayloadType,
  type RetentionExecution,
  type Service,
} from '@custodia/contract'
import {
  type Access,
  accountTypes,
  decide,
  deliveredBy,
  ruleFor,
  ruleSpans,
  transferredAt,
} from '@custodia/domain'
import { settleAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { type Cause, destroyPayloads, findUnfinished, noteDestroyed, openRun } from '../destruction/store.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { getActor, type Handlers, type PortalContext, RETENTION } from '../http/context.ts'
import { lockPolicies } from '../payload-records/store.ts'
import { deletePayloads, notePayloadAudit } from '../payloads/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { contradictedAt } from '../sealed-log/holder-store.ts'
import {
  type Act,
  type DuePayload,
  findDayCounts,
  findDue,
  findPause,
  lastLook,
  addDayCounts,
  readClock,
  restoredAlert,
  savePause,
} from './engine-store.ts'
import { countDue, countStaying } from './preview-store.ts'
import { countRecordsDue } from './records/count-store.ts'
import { allPolicies, type StoredPolicy } from './store.ts'

/** Routes of the execution: pause, counts and forecast. */
export const executionRoutes: Handlers<
  'readRetentionExecution' | 'pauseRetention' | 'readRetentionForecast'
> = {
  readRetentionExecution: (context) => context.read((q) => getExecution(q, context)),
  // Takes the lock that workers share, so that the answer is final.
  pauseRetention: (context, { body }) =>
    context.write(async (tx) => {
      await lockPolicies(tx)
      await savePause(tx, { ...body, by: getActor(context.caller) })
      if (!body.is_paused) await settleAlert(tx, restoredAlert(await readClock(tx)))
      return getExecution(tx, context)
    }),
  readRetentionForecast: ({ caller, action, readFromReplica }) =>
    readFromReplica(async (q) => {
      const { types, staying, ...forecast } = await getForecast(q)
      const isCounted = countsFor(caller.access, action)
      return { ...forecast, types: types.filter(isCounted), staying: staying.filter(isCounted) }
    }),
}

async function getExecution(
  q: Queryable,
  { caller: { access, client }, action }: Pick<PortalContext, 'caller' | 'action'>,
): Promise<RetentionExecution> {
  const isCounted = countsFor(access, action)
  const { deleted, destroyed } = await findDayCounts(q, DAY_COUNTS_SHOWN)
  const { count, since } = await findUnfinished(q)
  return {
    client,
    ...(await findPause(q)),
    contradicted_at: await contradictedAt(q),
    looked_at: await lastLook(q),
    deleted: deleted.filter(isCounted),
    destroyed: destroyed.filter(isCounted),
    unfinished: count,
    unfinished_since: since,
  }
}

/** Whether a count of payloads is of a type that the caller sees. */
export function countsFor(
  access: Pick<Access, 'allowsGroupless'>,
  action: string,
): (row: { payload_type: PayloadType }) => boolean {
  const types = accountTypes(access, action)
  return ({ payload_type }) => types?.includes(payload_type) ?? true
}

/** Forecast by the current policies. */
async function getForecast(q: Queryable) {
  const versions = await allPolicies(q)
  const status = { spans: ruleSpans(versions), minimums: versions.at(-1)?.minimums ?? [] }
  const at = await readClock(q)
  const months = monthEnds(at, FORECAST_MONTHS)
  const times = [at, ...months]
  const due = await countDue(q, status, times)
  const records = await countRecordsDue(q, versions, times)
  return {
    at,
    months,
    types: due.map(({ payload_type, deleted, destroyed }) => ({
      payload_type,
      deleted: comingUp(deleted),
      destroyed: comingUp(destroyed),
    })),
    records: records
      .filter(({ deleted, destroyed }) => [...deleted, ...destroyed].some((count) => count > 0))
      .map(({ deleted, destroyed, ...rest }) => ({
        ...rest,
        deleted: comingUp(deleted),
        destroyed: comingUp(destroyed),
      })),
    staying: await countStaying(q, status, at),
  }
}

/** Counts due now and newly due in each month, from cumulative counts. */
const comingUp = ([due = 0, ...by]: readonly number[]) => ({
  due,
  months: by.map((count, i) => count - (i === 0 ? due : (by[i - 1] ?? 0))),
})

/** Last second of this month and the next ones, UTC. */
const monthEnds = (at: number, count: number): number[] => {
  const now = new Date(at * 1000)
  return Array.from(
    { length: count },
    (_, i) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + i + 1) / 1000 - 1,
  )
}

const ACTIONS = { delete: 'retention:delete', destroy: 'retention:destroy' } as const
/** Counter names in audit entries. */
export const COUNTED = { delete: 'deleted', destroy: 'destroyed' } as const

export interface Client {
  client_id: number
  client: string
}

/** Expires due payloads and writes the audit entry. Resolves to the expired ones. */
export async function expirePayloads(
  { audit, keys }: Pick<AppContext, 'audit' | 'keys'>,
  tx: Tx,
  client: Client,
  {
    act,
    of,
    versions,
    due,
    causes,
    now,
  }: {
    act: Act
    /** A service, or the list that a reviewer released. */
    of: { service: Service } | { destruction_reference: string }
    versions: readonly StoredPolicy[]
    due: readonly number[]
    causes: ReadonlyMap<number, Cause>
    now: number
  },
): Promise<number[]> {
  const doing = { now, by: RETENTION }
  // Rechecks under lock: no parallel restore, hold or upload changes the result.
  const recheckUnderLock = async () =>
    new Set(getDue(await findDue(tx, due), versions, act, await readClock(tx)).keys())
  const run_id = act === 'destroy' ? await openRun(tx) : undefined
  const expired =
    run_id === undefined
      ? await deletePayloads(tx, due, doing, recheckUnderLock)
      : await destroyPayloads(tx, due, { ...doing, run_id, causes }, recheckUnderLock)
  if (expired.length === 0) return []
  const policy_version = versions.at(-1)?.policy_version ?? 0
  const entry = systemEntry(client, { at: now, by: RETENTION }, ACTIONS[act], {
    ...of,
    policy_version,
    [COUNTED[act]]: expired.length,
    run_id,
  })
  await audit.appendWithin(tx, entry)
  const ids = expired.map(({ payload_id }) => payload_id)
  const noted = { at: now, log_id: entry.log_id, portal_user: RETENTION, action: ACTIONS[act] }
  await notePayloadAudit(tx, ids, noted)
  await addDayCounts(tx, act, now, expired)
  if (act === 'destroy') await noteDestroyed(tx, keys.ledger, client.client, expired)
  return ids
}

/**
 * Payloads due for an act by `decide`, with the reason; holds are checked under lock later. A payload due for
 * destruction is first due for deletion.
 */
export function getDue(
  found: readonly DuePayload[],
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
