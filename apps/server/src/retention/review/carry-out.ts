import { DESTRUCTION_LIMIT } from '@custodia/contract'
import { raiseAlert } from '../../alerts/raise.ts'
import type { Cause } from '../../destruction/store.ts'
import type { AppContext } from '../../app-context.ts'
import { RETENTION } from '../../http/context.ts'
import { lockAgainstHolds } from '../../held-records/store.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { type Client, dueOf, go } from '../act.ts'
import { findDue, isPaused, readClock, sharePolicies } from '../engine-store.ts'
import { allPolicies } from '../store.ts'
import { closeGathering, findReview, gatherItems, moveItems, takeReleased } from './store.ts'

/** Of the alert that tells of a list. */
export const alertKeyOf = (destruction_reference: string): string => `destruction ${destruction_reference}`

/**
 * Puts what is due for destruction into the list that is being gathered, where the account has destructions wait for somebody who looks at them.
 * Resolves to whether it does: then nothing of it may go. The policies must be shared.
 */
export async function gatherWhereAsked(
  tx: Tx,
  due: readonly number[],
  { causes, now, most }: { causes: ReadonlyMap<number, Cause>; now: number; most: number },
): Promise<boolean> {
  const review = await findReview(tx)
  if (review?.is_required !== true) return false
  // What a hold keeps is no part of what somebody is asked to release.
  const free = await (await lockAgainstHolds(tx, due)).free()
  const gathered = await gatherItems(
    tx,
    due
      .filter((payload_id) => free.has(payload_id))
      .flatMap((payload_id) => {
        const cause = causes.get(payload_id)
        return cause ? [{ payload_id, policy_version: cause.policy_version }] : []
      }),
  )
  // Another batch would be more than somebody can look through.
  if (gathered && gathered.payloads > DESTRUCTION_LIMIT - most)
    await notify(tx, await closeGathering(tx, { unless_busy: false }), now)
  return true
}

/** The list that is being gathered waits for somebody, once every pass has looked at everything. */
export async function endGathering(tx: Tx): Promise<void> {
  await notify(tx, await closeGathering(tx, { unless_busy: true }), await readClock(tx))
}

async function notify(tx: Tx, destruction_reference: string | undefined, now: number): Promise<void> {
  if (destruction_reference === undefined) return
  await raiseAlert(tx, {
    alert_type: 'AccountAlert',
    alert_scopes: ['sec'],
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_key: alertKeyOf(destruction_reference),
    alert_severity: 'Medium',
    text: 'destruction_waits',
    related_entities: [{ entity_id: destruction_reference, entity_type: 'Destruction' }],
    now,
  })
}

/**
 * Destroys what is left in lists that somebody released, each payload only where it is still due and nothing holds it. What is not goes out of the
 * list, and comes into a later one when it is due again. Resolves to how many went.
 */
export async function destroyReleased(
  { db, most, ...parts }: Pick<AppContext, 'db' | 'audit' | 'keys'> & { most?: number },
  client: Client,
  signal: AbortSignal,
  standard: number,
): Promise<number> {
  let count = 0
  for (;;) {
    signal.throwIfAborted()
    const went = await db.write(client.client_id, (tx) => destroyBatch(parts, tx, client, most ?? standard))
    if (went === undefined) return count
    count += went
  }
}

async function destroyBatch(
  parts: Pick<AppContext, 'audit' | 'keys'>,
  tx: Tx,
  client: Client,
  most: number,
): Promise<number | undefined> {
  await sharePolicies(tx)
  if (await isPaused(tx)) return undefined
  const released = await takeReleased(tx, most)
  if (!released) return undefined
  const { destruction_reference, payload_ids } = released
  const [versions, now] = [await allPolicies(tx), await readClock(tx)]
  const causes = dueOf(await findDue(tx, payload_ids), versions, 'destroy', now)
  const due = payload_ids.filter((id) => causes.has(id))
  const went =
    due.length === 0
      ? []
      : await go(parts, tx, client, {
          act: 'destroy',
          of: { destruction_reference },
          versions,
          due,
          causes,
          now,
        })
  const gone = new Set(went)
  const noted = { by: RETENTION, reason_id: null }
  await moveItems(tx, destruction_reference, went, { state: 'destroyed', ...noted })
  await moveItems(
    tx,
    destruction_reference,
    payload_ids.filter((id) => !gone.has(id)),
    { state: 'kept', ...noted },
  )
  return went.length
}
