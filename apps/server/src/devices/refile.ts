import * as z from 'zod/mini'
import { listClients } from '../clients/store.ts'
import type { House } from '../house.ts'
import { jobKind } from '../jobs/kind.ts'
import { findRefilings, noteRefiling, type Refiling, refileBatch } from './refile-store.ts'

/** Payloads that are filed anew in one transaction. */
const BATCH = 500
/**
 * Seconds for which a device that is done is looked at again: an announcement that read the history before the confirmation may have
 * been stored after the last batch.
 */
const AGAIN_SECONDS = 3600

/**
 * Files what phones recorded while they waited where it belongs since they were confirmed. Each batch is committed by itself and asks anew
 * what lies elsewhere, so a run that was broken off goes on where it stopped.
 */
export const refileDevices = jobKind({
  name: 'devices.refile',
  input: z.object({}),
  every: 60,
  key: () => 'all',
  async run(house, _input, signal) {
    for (const { client_id } of await listClients(house.db)) {
      const refilings = await house.db.write(client_id, (tx) =>
        findRefilings(tx, house.now() - AGAIN_SECONDS),
      )
      for (const refiling of refilings) await refile(house, client_id, refiling, signal)
    }
  },
})

async function refile(
  house: House,
  client_id: number,
  refiling: Refiling,
  signal: AbortSignal,
): Promise<void> {
  let moved = BATCH
  while (moved === BATCH) {
    signal.throwIfAborted()
    moved = await house.db.write(client_id, async (tx) => {
      const now = house.now()
      const count = await refileBatch(tx, refiling, { most: BATCH, now })
      await noteRefiling(tx, refiling.refiling_id, { moved: count, done_at: count < BATCH ? now : null })
      return count
    })
  }
}
