import type { StoredGroup, StoredRole, StoredTag } from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../api/call-keys.ts'
import { allPages } from '../api/all-pages.ts'
import { api } from '../api/api.ts'

/** The tag definitions of the client, for fields and filters; what cannot be read is not offered. */
export const tagDefinitionsQuery = queryOptions({
  queryKey: keyOf('listTags', 'all'),
  queryFn: ({ signal }): Promise<StoredTag[]> => allPages((query) => api.listTags({ query }, { signal })),
})

/** The groups within reach. */
export const groupChoicesQuery = queryOptions({
  queryKey: keyOf('listGroups', 'all'),
  queryFn: ({ signal }): Promise<StoredGroup[]> => allPages((query) => api.listGroups({ query }, { signal })),
})

/** All roles, those of the system included. */
export const roleChoicesQuery = queryOptions({
  queryKey: keyOf('listRoles', 'all'),
  queryFn: ({ signal }): Promise<StoredRole[]> => allPages((query) => api.listRoles({ query }, { signal })),
})
