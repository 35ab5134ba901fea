import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { api } from '../../api/api.ts'

/** The account defaults as they are read for editing: once, so that nothing changes below the person's hands. */
export const defaultsQuery = queryOptions({
  queryKey: keyOf('readAccountDefaults'),
  queryFn: ({ signal }) => api.readAccountDefaults({ query: {} }, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
})
