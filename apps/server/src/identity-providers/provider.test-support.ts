import type { SignInHouse } from '../testing/sign-in-house.ts'
import { checkClientProvider, type ClientProvider, saveClientProvider } from './settings.ts'

/** Gives a client a provider of its own, as its screen does: read first, then saved. */
export async function saveProviderOf(
  { house, client_id }: SignInHouse,
  client: string,
  provider: ClientProvider,
): Promise<void> {
  const checked = await checkClientProvider(house, provider)
  await house.db.write(await client_id(client), (tx) => saveClientProvider(house, tx, checked))
}
