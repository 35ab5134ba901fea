import { ApiProblem, makeClientOf } from '@custodia/client'
import { sessionEndpoints } from '@custodia/contract'
import { clientParameter } from './kept-session.ts'
import { fetchPreloaded } from './preload-session.ts'
import type { ExchangedTokens } from './session.ts'

/** New tokens for a refresh handle of `client`; undefined when the server rejects it. Uses no session, since the session calls it. */
export async function refreshTokens(handle: string, client: string): Promise<ExchangedTokens | undefined> {
  const { exchange } = makeClientOf(sessionEndpoints, {
    baseUrl: '',
    client: () => clientParameter(client),
    credentials: async () => undefined,
    fetch: fetchPreloaded,
  })
  try {
    return await exchange({ query: { refresh_token: handle } })
  } catch (error) {
    const refused = error instanceof ApiProblem && error.status < 500 && error.status !== 429
    if (!refused) throw error
    return undefined
  }
}
