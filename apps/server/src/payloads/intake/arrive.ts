import { isLate } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { processPayload } from '../processing/process-job.ts'
import { countPayloads } from '../counts-store.ts'
import { isCounted, takeBack } from '../deletion-store.ts'
import { moveStates } from '../state-store.ts'
import { originalKey } from '../original-key.ts'
import { type Awaited, beginWork, setLate } from './arrival-store.ts'

/**
 * Sets payloads of one client with durable data to `Uploaded` and queues their processing, in one
 * transaction. Repeating it changes nothing. Resolves to those that expected data; `along` writes about them
 * in the same transaction.
 */
export async function noteArrivals(
  ctx: AppContext,
  client_id: number,
  awaited: readonly Awaited[],
  by: string,
  along?: (tx: Tx, arrived: readonly Awaited[]) => Promise<void>,
): Promise<readonly Awaited[]> {
  const now = ctx.now()
  return ctx.db.write(client_id, async (tx) => {
    const payload_ids = awaited.map(({ payload_id }) => payload_id)
    const arrive = (ids: readonly number[]) =>
      moveStates(tx, { payload_ids: ids, from: ['Recorded', 'Failed'], to: 'Uploaded', now, by })
    const moved = await arrive(payload_ids)
    // Restores payloads that were deleted because they were late, now that they arrived; locks the rows of the others.
    const rest = payload_ids.filter((payload_id) => !moved.has(payload_id))
    const back = rest.length > 0 ? await takeBack(tx, rest, { now, by }) : []
    for (const payload_id of await arrive(rest)) moved.add(payload_id)
    if (moved.size === 0) return []
    const ends = await beginWork(tx, [...moved], now)
    const late = ends.filter(({ recorded_end }) => isLate({ recorded_end, uploaded_at: now }))
    if (late.length > 0)
      await setLate(
        tx,
        late.map(({ payload_id }) => payload_id),
      )
    const arrived = awaited.filter(({ payload_id }) => moved.has(payload_id))
    const inputs = arrived.map(({ payload_id, size }) => ({ client_id, payload_id, size }))
    await ctx.jobs.send(tx, processPayload, ...inputs)
    await along?.(tx, arrived)
    await countPayloads(tx, back.filter(isCounted))
    return arrived
  })
}

/**
 * Checks whether the object store already has the data of expected payloads: devices upload to it directly,
 * or the server crashed before its response. Processing verifies the data, which a device could not replace
 * anyway.
 */
export async function noticeArrivals(ctx: AppContext, awaited: readonly Awaited[]): Promise<number> {
  let noticed = 0
  for (const payload of awaited) {
    const object = await ctx.objects.ensureDurable(
      originalKey(payload.client, payload.payload_reference, payload.rejected_count),
    )
    if (object) noticed += (await noteArrivals(ctx, payload.client_id, [payload], 'upload')).length
  }
  return noticed
}
