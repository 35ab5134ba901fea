import { type ClientOptions, makeClientOf } from '@custodia/client'
import { accountEndpoints, sessionEndpoints } from '@custodia/contract'
import { session } from './current-session.ts'
import { clientParameter } from './kept-session.ts'
import { fetchPreloaded } from './preload-session.ts'
import { loadProblems } from './problem-phrases.ts'

/**
 * Call options with the user's own token at the issuing account. Staff refresh, sign out and use the internal area
 * with these, also in support mode.
 */
export const ownAccountCalls: ClientOptions = {
  baseUrl: '',
  client: () => clientParameter(session.homeClient()),
  credentials: async () => {
    const token = await session.token()
    return token === undefined ? undefined : { token }
  },
  onAuthenticationExpired: () => {
    void import('./notices.ts').then(({ noticeAuthenticationExpired }) => noticeAuthenticationExpired())
    session.end()
  },
  onProblem: loadProblems,
  fetch: fetchPreloaded,
}

/** Calls at the user's own account, never in support mode. */
export const homeApi = makeClientOf(sessionEndpoints, ownAccountCalls)

/** Public facts of an account, readable before sign-in. */
export const getAccount = (client: string) =>
  makeClientOf(accountEndpoints, { ...ownAccountCalls, client: () => client }).readAccountMetadata({})
