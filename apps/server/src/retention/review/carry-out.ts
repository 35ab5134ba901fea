import { DESTRUCTION_LIMIT } from '@custodia/contract'
import { raiseAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import type { Cause } from '../../destruction/store.ts'
import { lockAgainstHolds } from '../../held-records/store.ts'
import { RETENTION } from '../../http/context.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { findDue, isPaused, readClock, sharePolicies } from '../engine-store.ts'
import { type Client, getDue, expirePayloads } from '../execution.ts'
import { allPolicies } from '../store.ts'
import { closeGathering, findReview, gatherItems, moveItems, takeReleased } from './store.ts'

/** Key of a list's alert. */
export const getAlertKey = (destruction_reference: string): string => `destruction ${destruction_reference}`

/**
 * Adds due payloads to the open list when destructions need a review. Returns whether they do: then none may be
 * destroyed yet. The policies must be share-locked.
 */
export async function gatherForReview(
  tx: Tx,
  due: readonly number[],
  { causes, now, most }: { causes: ReadonlyMap<number, Cause>; now: number; most: number },
): Promise<boolean> {
  const review = await findReview(tx)
  if (review?.is_required !== true) return false
  // Held payloads are not part of a list.
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
  // A list stays small enough for one reviewer.
  if (gathered && gathered.payloads > DESTRUCTION_LIMIT - most)
    await notify(tx, await closeGathering(tx, { unless_busy: false }), now)
  return true
}

/** Closes the open list for review after every pass ended. */
export async function endGathering(tx: Tx): Promise<void> {
  await notify(tx, await closeGathering(tx, { unless_busy: true }), await readClock(tx))
}

async function notify(tx: Tx, destruction_reference: string | undefined, now: number): Promise<void> {
  if (destruction_reference === undefined) return
  await raiseAlert(tx, {
    alert_type: 'AccountAlert',
    alert_scopes: ['sec'],
    alert_key: getAlertKey(destruction_reference),
    alert_severity: 'Medium',
    text: 'destruction_waits',
    related_entities: [{ entity_id: destruction_reference, entity_type: 'Destruction' }],
    now,
  })
}

/**
 * Destroys payloads of released lists that are still due and not held; others leave the list and may join a later one.
 * Resolves to the number.
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
  const { destruction_reference, released_by, payload_ids } = released
  const [versions, now] = [await allPolicies(tx), await readClock(tx)]
  const causes = getDue(await findDue(tx, payload_ids), versions, 'destroy', now)
  // A policy that the reviewer saved since does not make due what they released.
  const own = new Set(versions.filter(({ by }) => by === released_by).map((each) => each.policy_version))
  const isDue = (cause: Cause | undefined) => cause !== undefined && !own.has(cause.policy_version)
  const due = payload_ids.filter((id) => isDue(causes.get(id)))
  const went =
    due.length === 0
      ? []
      : await expirePayloads(parts, tx, client, {
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
