import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/api.ts'

/** The account defaults as they are read for editing: once, so that nothing changes below the person's hands. */
export const defaultsQuery = queryOptions({
  queryKey: ['account defaults'],
  queryFn: ({ signal }) => api.readAccountDefaults({ query: {} }, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
})
