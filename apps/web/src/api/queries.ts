import { shareCalls } from '@custodia/client'
import {
  DEDUPLICATION_MS,
  type Profile,
  type StoredGroup,
  type StoredRole,
  type StoredTag,
} from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { allPages } from './all-pages.ts'
import { api } from './api.ts'
import { type CallName, callQuery, getKey, repeatedQuery } from './call-keys.ts'
import { session } from './current-session.ts'
import { queryClient } from './query-client.ts'

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
  queryKey: getKey('readProfile'),
  queryFn: readProfile,
  staleTime: 5 * 60_000,
  meta: { silent: true },
})

/** Counts and distributions of the fleet. */
export const dashboardQuery = callQuery(api, 'readDashboard')

/** Prefetches them while the page loads. The page repeats and reports a failed request. */
export const askForDashboard = (): Promise<void> =>
  queryClient.prefetchQuery({ ...dashboardQuery, meta: { silent: true } })

/** The client's tag definitions, for fields and filters; empty when they cannot be read. */
export const tagDefinitionsQuery = queryOptions({
  queryKey: getKey('listTags', 'all'),
  queryFn: ({ signal }): Promise<StoredTag[]> => allPages((query) => api.listTags({ query }, { signal })),
})

/** Visible groups. */
export const groupChoicesQuery = queryOptions({
  queryKey: getKey('listGroups', 'all'),
  queryFn: ({ signal }): Promise<StoredGroup[]> => allPages((query) => api.listGroups({ query }, { signal })),
})

/** All roles, system roles included. */
export const roleChoicesQuery = queryOptions({
  queryKey: getKey('listRoles', 'all'),
  queryFn: ({ signal }): Promise<StoredRole[]> => allPages((query) => api.listRoles({ query }, { signal })),
})

/** Refresh interval of the bell's counts, in milliseconds. */
const EVERY_MS = 60_000

/** Incidents of triggered alerts that the user has not dismissed, by scope and severity. */
export const alertSummaryQuery = queryOptions({
  ...repeatedQuery(api, 'readAlertSummary', { query: { is_folded: true } }),
  staleTime: EVERY_MS,
  refetchInterval: EVERY_MS,
  meta: { isWatch: true },
})

/** A record for editing, read once: it must not change during the edit. `newest` is a second copy, for edit conflicts. */
export const recordQuery =
  <T>(call: CallName, read: (key: string, options: { signal: AbortSignal }) => Promise<T>) =>
  (key: string, copy?: 'newest') =>
    queryOptions({
      queryKey: copy === undefined ? getKey(call, key) : getKey(call, key, copy),
      queryFn: ({ signal }) => read(key, { signal }),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    })
