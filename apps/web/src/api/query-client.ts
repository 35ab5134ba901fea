import { ApiProblem } from '@custodia/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import type { CallKey } from './call-keys.ts'
import { noteLostConnection, sentWhenReachable } from './connection.ts'
import { session } from './current-session.ts'
import { noticeAuthenticationExpired, noticeFailure } from './notices.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** `getKey` writes every query key. */
    queryKey: CallKey
    /**
     * Every failed call is shown at the bottom of the screen (spec section 8); equal texts appear once. `silent` only
     * logs it; `isWatch` (polling) shows it only before the first success.
     */
    queryMeta: { silent?: boolean; isWatch?: boolean }
    /** `silent`: as above; a form shows the cause instead. */
    mutationMeta: { silent?: boolean }
  }
}

function onFailure(error: unknown, isSilent: boolean): void {
  if (error instanceof TypeError) noteLostConnection()
  // The end of support mode has its own notice.
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

/** Milliseconds after which unused answers are dropped, so that a day of reviewing does not pile them up. */
const KEPT_MS = 60_000

/** All server state. The HTTP client retries reads, so queries do not. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { meta, state }) =>
      onFailure(
        error,
        meta?.silent === true ||
          (meta?.isWatch === true && state.data !== undefined) ||
          // The bar tells it, and the query is repeated.
          error instanceof TypeError,
      ),
  }),
  mutationCache: new MutationCache({
    onError: (error, _input, _context, mutation) => {
      onFailure(error, mutation.meta?.silent ?? false)
    },
  }),
  defaultOptions: {
    queries: { retry: false, staleTime: 30_000, gcTime: KEPT_MS, refetchOnWindowFocus: false },
  },
})

/** Marks by key that the server does not have yet: the browser asks before it closes their tab. */
let waitingMarks = 0
const ask = (event: Event) => event.preventDefault()

/** Runs a mark by key, or its undo, now or when the server answers again; failures appear as notices. */
export const runMark = (run: () => Promise<void>): void => {
  if (waitingMarks++ === 0) addEventListener('beforeunload', ask)
  void queryClient
    .getMutationCache()
    // One after another: an undo follows its mark.
    .build(queryClient, { ...sentWhenReachable(run), scope: { id: 'marks' } })
    .execute(undefined)
    .catch(() => undefined)
    .finally(() => {
      if (--waitingMarks === 0) removeEventListener('beforeunload', ask)
    })
}
