import { ApiProblem, type Client, makeClient, shareCalls } from '@custodia/client'
import { noticeAuthenticationExpired } from './notices.tsx'
import { createSession } from './session.ts'

/** Refresh in one tab at a time; without secure context there are no locks and tabs rely on the server's grace. */
const alone = <T>(task: () => Promise<T>): Promise<T> =>
  navigator.locks === undefined ? task() : navigator.locks.request('custodia.refresh', task)

/** The session of this tab. */
export const session = createSession(
  {
    storage: sessionStorage,
    now: Date.now,
    refresh: (handle) => api.exchange({ query: { refresh_token: handle } }),
    isRefusal: (error) => error instanceof ApiProblem && error.status < 500 && error.status !== 429,
    alone,
  },
  shareCalls,
)

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
