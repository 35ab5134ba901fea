import type { StoredGroup, StoredRole, StoredTag } from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../api/call-keys.ts'
import { allPages } from '../api/all-pages.ts'
import { api } from '../api/api.ts'

/** The client's tag definitions, for fields and filters; empty when they cannot be read. */
export const tagDefinitionsQuery = queryOptions({
  queryKey: keyOf('listTags', 'all'),
  queryFn: ({ signal }): Promise<StoredTag[]> => allPages((query) => api.listTags({ query }, { signal })),
})

/** Visible groups. */
export const groupChoicesQuery = queryOptions({
  queryKey: keyOf('listGroups', 'all'),
  queryFn: ({ signal }): Promise<StoredGroup[]> => allPages((query) => api.listGroups({ query }, { signal })),
})

/** All roles, system roles included. */
export const roleChoicesQuery = queryOptions({
  queryKey: keyOf('listRoles', 'all'),
  queryFn: ({ signal }): Promise<StoredRole[]> => allPages((query) => api.listRoles({ query }, { signal })),
})
