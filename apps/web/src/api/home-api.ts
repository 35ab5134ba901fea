import { ApiProblem, makeClientOf } from '@custodia/client'
import { sessionEndpoints } from '@custodia/contract'
import { homeCalls } from './home-calls.ts'
import type { ExchangedTokens } from './session.ts'

/** Calls of the session at the account where the person signed in, or signs in: never in support mode. */
export const homeApi = makeClientOf(sessionEndpoints, homeCalls)

/** What a visitor may know about an account before signing in. */
export const accountOf = (client: string) =>
  makeClientOf(sessionEndpoints, { ...homeCalls, client: () => client }).readAccountMetadata({})

/** New tokens for a refresh handle; undefined when the server refuses it. */
export async function refreshTokens(handle: string): Promise<ExchangedTokens | undefined> {
  try {
    return await homeApi.exchange({ query: { refresh_token: handle } })
  } catch (error) {
    const refused = error instanceof ApiProblem && error.status < 500 && error.status !== 429
    if (!refused) throw error
    return undefined
  }
}
