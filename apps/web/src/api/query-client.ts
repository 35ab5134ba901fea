import { ApiProblem } from '@custodia/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import type { CallKey } from './call-keys.ts'
import { session } from './current-session.ts'
import { noticeAuthenticationExpired, noticeFailure } from './notices.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** Whatever is kept stands under the call that told it; `keyOf` writes it. */
    queryKey: CallKey
    /**
     * Every failed call is told at the bottom of the screen (spec section 8), also where the page shows it in place;
     * equal texts appear once. Exceptions:
     * - `silent`: only logged: the profile (spec section 8), what nobody asked for, what tells its failure itself.
     * - `isWatch`: reads itself again and again: told only while it has never succeeded.
     */
    queryMeta: { silent?: boolean; isWatch?: boolean }
    /** `silent`: the same; a form tells faults at their fields instead. */
    mutationMeta: { silent?: boolean | ((error: unknown) => boolean) }
  }
}

function onFailure(error: unknown, isSilent: boolean): void {
  // The end of support mode has a notice of its own.
  if (error instanceof ApiProblem && error.code === 'support_mode_ended') return
  if (error instanceof ApiProblem && error.status === 401) {
    if (!session.isSignedIn()) return
    noticeAuthenticationExpired()
    session.end()
  } else if (isSilent) {
    console.error(error)
  } else {
    noticeFailure(error)
  }
}

/** What no screen shows is forgotten after this many milliseconds: a day of going through items must not pile them up. */
const KEPT_MS = 60_000

/** All server state. The client itself repeats reads once, so queries do not repeat again. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { meta, state }) =>
      onFailure(error, meta?.silent === true || (meta?.isWatch === true && state.data !== undefined)),
  }),
  mutationCache: new MutationCache({
    onError: (error, _input, _context, mutation) => {
      const silent = mutation.meta?.silent ?? false
      onFailure(error, typeof silent === 'function' ? silent(error) : silent)
    },
  }),
  defaultOptions: {
    queries: { retry: false, staleTime: 30_000, gcTime: KEPT_MS, refetchOnWindowFocus: false },
  },
})
