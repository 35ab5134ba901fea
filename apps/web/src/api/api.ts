import { ApiProblem, type Client, makeClient } from '@custodia/client'
import { session } from './current-session.ts'
import { noticeAuthenticationExpired } from './notices.tsx'
import type { ExchangedTokens } from './session.ts'

/** The client parameter is left out for the provider's own administrators (spec section 7). */
const clientOfCalls = (): string | undefined =>
  session.client() === 'admin' && session.supportReference() === undefined ? undefined : session.client()

/** One typed function per call of the endpoint table: `await api.listPayloads({ query: { service: 'calls' } })`. */
export const api: Client = makeClient({
  baseUrl: '',
  client: clientOfCalls,
  credentials: async () => {
    const token = await session.token()
    return token === undefined ? undefined : { token, support_reference: session.supportReference() }
  },
  onAuthenticationExpired: () => {
    noticeAuthenticationExpired()
    session.end()
  },
})

/** The calls that need no sign-in, for an account that is not yet chosen. */
export const publicApi = (client: string): Client =>
  makeClient({ baseUrl: '', client: () => client, credentials: async () => undefined })

/** New tokens for a refresh handle; undefined when the server refuses it. */
export async function refreshTokens(handle: string): Promise<ExchangedTokens | undefined> {
  try {
    return await api.exchange({ query: { refresh_token: handle } })
  } catch (error) {
    const refused = error instanceof ApiProblem && error.status < 500 && error.status !== 429
    if (!refused) throw error
    return undefined
  }
}
