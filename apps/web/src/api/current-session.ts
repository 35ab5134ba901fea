import { shareCalls } from '@custodia/client'
import { REFRESH_LOCK } from './kept-session.ts'
import { createSession } from './session.ts'

/** Refresh in one tab at a time; without secure context there are no locks and tabs rely on the server's grace. */
const exclusively = <T>(task: () => Promise<T>): Promise<T> =>
  navigator.locks === undefined ? task() : navigator.locks.request(REFRESH_LOCK, task)

/** The session of this browser. The calls themselves load when they are needed: public pages do without them. */
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
