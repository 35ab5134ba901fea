import type { ClientOptions } from '@custodia/client'
import { clientParameter } from './client-parameter.ts'
import { session } from './current-session.ts'
import { loadProblems } from './problem-phrases.ts'

/**
 * How calls are made as the person alone: with the plain token, at the account where it was issued. Staff refresh, sign
 * out and use the internal area so, whatever client support mode shows.
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
}
