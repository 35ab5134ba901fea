import { shareCalls } from '@custodia/client'
import { REFRESH_LOCK } from './kept-session.ts'
import { createSession } from './session.ts'

/** One tab refreshes at a time. Without a secure context there are no locks, and tabs rely on the server's grace period. */
const exclusively = <T>(task: () => Promise<T>): Promise<T> =>
  navigator.locks === undefined ? task() : navigator.locks.request(REFRESH_LOCK, task)

/** The session of this browser. Calls load on demand; public pages need none. */
export const session = createSession(
  {
    storage: localStorage,
    tabStorage: sessionStorage,
    now: Date.now,
    refresh: async (handle, client) => (await import('./refresh-tokens.ts')).refreshTokens(handle, client),
    exclusively,
  },
  shareCalls,
)
