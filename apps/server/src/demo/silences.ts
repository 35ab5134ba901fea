import { findClient } from '../clients/store.ts'
import { watchCaptureOf } from '../devices/capture/watch.ts'
import { watchSilenceOf } from '../devices/silence.ts'
import type { AppContext } from '../app-context.ts'
import { backdate, type DemoSilence } from './silences-store.ts'

/** Phones fall silent in days; those of the demo did so before it began. */
export async function seedDemoSilences(
  ctx: Pick<AppContext, 'db'>,
  client: string,
  silences: readonly DemoSilence[],
): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  await ctx.db.write(account.client_id, async (tx) => {
    for (const silence of silences) await backdate(tx, silence)
  })
  // What the workers would find within ten minutes.
  const { signal } = new AbortController()
  await watchSilenceOf(ctx, account.client_id, signal)
  await watchCaptureOf(ctx, account.client_id, signal)
}
