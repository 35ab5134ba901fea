import { shareCalls } from '@custodia/client'
import { queryOptions } from '@tanstack/react-query'
import { api, publicApi } from './api.ts'
import { DEDUPLICATION_MS } from './session.ts'

export { queryClient } from './query-client.ts'

const readProfile = shareCalls(() => api.readProfile({}), DEDUPLICATION_MS)

/** Who is signed in and what they may do. A failure is only logged (spec section 8). */
export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: readProfile,
  staleTime: 5 * 60_000,
  meta: { silent: true },
})

/** Counts and distributions of the fleet. */
export const dashboardQuery = queryOptions({
  queryKey: ['dashboard'],
  queryFn: ({ signal }) => api.readDashboard({ query: {} }, { signal }),
})

/** What a visitor may know about an account before signing in. */
export const accountOf = (client: string) => publicApi(client).readAccountMetadata({})
