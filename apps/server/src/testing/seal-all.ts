import { setTimeout as pause } from 'node:timers/promises'
import type { AppContext } from '../app-context.ts'
import { sealBatch } from '../sealed-log/seal.ts'

/** Seals every entry of a client. Transactions of other tests on the same server may delay that. */
export async function sealAll(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  client: { client_id: number; client: string },
): Promise<void> {
  while (await sealBatch(ctx, client)) await pause(20)
}
