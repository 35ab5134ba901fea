import type { SignInFixture } from '../testing/sign-in-fixture.ts'
import { checkClientProvider, type ClientProvider, saveClientProvider } from './settings.ts'

/** Gives a client a provider of its own, as its screen does: read first, then saved. */
export async function saveProviderOf(
  { ctx, client_id }: SignInFixture,
  client: string,
  provider: ClientProvider,
): Promise<void> {
  const checked = await checkClientProvider(ctx, provider)
  await ctx.db.write(await client_id(client), (tx) => saveClientProvider(ctx, tx, checked))
}
