import type { Service } from '@custodia/contract'
import { decide, deliveredBy, ruleFor, transferredAt } from '@custodia/domain'
import { type Cause, destroyPayloads, noteDestroyed, openRun } from '../destruction/store.ts'
import type { AppContext } from '../app-context.ts'
import { RETENTION } from '../http/context.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { deletePayloads, notePayloadAudit } from '../payloads/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type Act, type Due, findDue, noteDeeds, readClock } from './engine-store.ts'
import type { StoredPolicy } from './store.ts'

/** Action names in audit entries. */
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
    new Set(dueOf(await findDue(tx, due), versions, act, await readClock(tx)).keys())
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
  await noteDeeds(tx, act, now, expired)
  if (act === 'destroy') await noteDestroyed(tx, keys.ledger, client.client, expired)
  return ids
}

/**
 * Payloads due for an act by `decide`, with the reason; holds are checked under lock later. A payload due for
 * destruction is first due for deletion.
 */
export function dueOf(
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
