import type { Announcement } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { processPayload } from '../processing/process.ts'
import { countPayloads, moveState } from '../state-store.ts'
import { fillEnvelope, insertPayloads, type NewPayload } from './announce-store.ts'

export { findEnvelope } from './announce-store.ts'

/** A recording of the legacy platform, sealed like a device's. Fields that `Recorded` lacks come later. */
export type LegacyPayload = Omit<NewPayload, 'ip' | 'by_migration'>

/**
 * Stores recordings of the legacy platform as if devices had uploaded them, and queues their processing.
 * Their bytes are already under `originalKey`. Resolves to their ids by reference.
 */
export async function storeLegacy(
  ctx: Pick<AppContext, 'jobs'>,
  tx: Tx,
  by: string,
  items: readonly LegacyPayload[],
): Promise<Map<string, number>> {
  const made = await insertPayloads(
    tx,
    items.map((item) => ({ ...item, ip: null, by_migration: by })),
  )
  const arrived = new Set(
    items.flatMap(({ state, announcement }) =>
      state === 'Uploaded' ? [announcement.payload_reference] : [],
    ),
  )
  const work = made.filter(({ payload_reference }) => arrived.has(payload_reference))
  if (work.length > 0)
    await ctx.jobs.send(
      tx,
      processPayload,
      ...work.map(({ payload_id, size }) => ({
        client_id: tx.client_id,
        payload_id,
        ...(size ? { size } : {}),
      })),
    )
  // Last: announcements of the client wait for these counter rows until the commit.
  await countPayloads(tx, made)
  return new Map(made.map(({ payload_reference, payload_id }) => [payload_reference, payload_id]))
}

/** The data of a legacy recording arrived after it; false: it does not expect any. */
export async function completeLegacy(
  ctx: Pick<AppContext, 'jobs'>,
  tx: Tx,
  payload_id: number,
  { checksum, size }: Required<Pick<Announcement, 'checksum' | 'size'>>,
  { now, by }: { now: number; by: string },
): Promise<boolean> {
  if (!(await moveState(tx, { payload_id, from: ['Recorded'], to: 'Uploaded', now, by }))) return false
  await fillEnvelope(tx, payload_id, checksum, size)
  await ctx.jobs.send(tx, processPayload, { client_id: tx.client_id, payload_id, size })
  return true
}
