import { shareCalls } from '@custodia/client'
import { DEDUPLICATION_MS, type Profile } from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { keyOf } from './call-keys.ts'
import { api } from './api.ts'
import { session } from './current-session.ts'

import { queryClient } from './query-client.ts'

export { queryClient }

const profileReaders = new Map<string, () => Promise<Profile>>()

/** Loads the profile. Repeated calls share one request, but never one of another support mode. */
export function readProfile(): Promise<Profile> {
  const mode = session.supportReference() ?? ''
  const reader = profileReaders.get(mode) ?? shareCalls(() => api.readProfile({}), DEDUPLICATION_MS)
  profileReaders.set(mode, reader)
  return reader()
}

/** Who is signed in and what they may do. A failure is only logged (spec section 8). */
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

/** Asks for them while their page is on its way. What fails is told by the page, which asks again. */
export const askForDashboard = (): Promise<void> =>
  queryClient.prefetchQuery({ ...dashboardQuery, meta: { silent: true } })
