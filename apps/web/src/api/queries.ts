import { shareCalls } from '@custodia/client'
import { DEDUPLICATION_MS, type Profile } from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { keyOf } from './call-keys.ts'
import { api } from './api.ts'
import { session } from './current-session.ts'

import { queryClient } from './query-client.ts'

export { queryClient }

const profileReaders = new Map<string, () => Promise<Profile>>()

/** Loads the profile. Repeated calls share one request within the same support mode. */
export function readProfile(): Promise<Profile> {
  const mode = session.supportReference() ?? ''
  const reader = profileReaders.get(mode) ?? shareCalls(() => api.readProfile({}), DEDUPLICATION_MS)
  profileReaders.set(mode, reader)
  return reader()
}

/** Profile of the signed-in user and their permissions. A failure is only logged (spec section 8). */
export const profileQuery = queryOptions({
  queryKey: keyOf('readProfile'),
  queryFn: readProfile,
  staleTime: 5 * 60_000,
  meta: { silent: true },
})

/** Counts and distributions of the fleet. */
export const dashboardQuery = queryOptions({
  queryKey: keyOf('readDashboard'),
  queryFn: ({ signal }) => api.readDashboard({ query: {} }, { signal }),
})

/** Prefetches them while the page loads. The page repeats and reports a failed request. */
export const askForDashboard = (): Promise<void> =>
  queryClient.prefetchQuery({ ...dashboardQuery, meta: { silent: true } })
