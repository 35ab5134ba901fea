import { ApiProblem } from '@custodia/client'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { session } from './current-session.ts'
import { noticeAuthenticationExpired, noticeFailure } from './notices.tsx'

declare module '@tanstack/react-query' {
  interface Register {
    /** `silent`: the failure is shown in place, or only logged; no notification. */
    queryMeta: { silent?: boolean }
    mutationMeta: { silent?: boolean }
  }
}

function onFailure(error: unknown, meta: { silent?: boolean } | undefined): void {
  // The end of support mode has a notice of its own.
  if (error instanceof ApiProblem && error.code === 'support_mode_ended') return
  if (error instanceof ApiProblem && error.status === 401) {
    if (!session.isSignedIn()) return
    noticeAuthenticationExpired()
    session.end()
  } else if (meta?.silent) {
    console.error(error)
  } else {
    noticeFailure(error)
  }
}

/** All server state. The client itself repeats reads once, so queries do not repeat again. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => onFailure(error, query.meta) }),
  mutationCache: new MutationCache({
    onError: (error, _input, _context, mutation) => onFailure(error, mutation.meta),
  }),
  defaultOptions: { queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false } },
})
