import { findClient } from '../clients/store.ts'
import { watchCaptureOf } from '../devices/capture/watch.ts'
import { watchSilenceOf } from '../devices/silence.ts'
import type { House } from '../house.ts'
import { backdate, type DemoSilence } from './silences-store.ts'

/** Phones fall silent in days; those of the demo did so before it began. */
export async function seedDemoSilences(
  house: Pick<House, 'db'>,
  client: string,
  silences: readonly DemoSilence[],
): Promise<void> {
  const account = await findClient(house.db, client)
  if (!account) return
  await house.db.write(account.client_id, async (tx) => {
    for (const silence of silences) await backdate(tx, silence)
  })
  // What the workers would find within ten minutes.
  const { signal } = new AbortController()
  await watchSilenceOf(house, account.client_id, signal)
  await watchCaptureOf(house, account.client_id, signal)
}
