import { ApiProblem, shareCalls } from '@custodia/client'
import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { api, publicApi, session } from './api.ts'
import { noticeAuthenticationExpired, noticeFailure } from './notices.tsx'
import { DEDUPLICATION_MS } from './session.ts'

declare module '@tanstack/react-query' {
  interface Register {
    /** `silent`: the failure is shown in place, or only logged; no notification. */
    queryMeta: { silent?: boolean }
    mutationMeta: { silent?: boolean }
  }
}

function onFailure(error: unknown, meta: { silent?: boolean } | undefined): void {
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

const readProfile = shareCalls(() => api.readProfile({}), DEDUPLICATION_MS)

/** Who is signed in and what they may do. A failure is only logged (spec section 8). */
export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: readProfile,
  staleTime: 5 * 60_000,
  meta: { silent: true },
})

/** What a visitor may know about an account before signing in. */
export const accountQuery = (client: string) =>
  queryOptions({
    queryKey: ['account', client],
    queryFn: () => publicApi(client).readAccountMetadata({}),
    enabled: client !== '',
    meta: { silent: true },
  })

/** Counts and distributions of the fleet. */
export const dashboardQuery = queryOptions({
  queryKey: ['dashboard'],
  queryFn: ({ signal }) => api.readDashboard({ query: {} }, { signal }),
})
