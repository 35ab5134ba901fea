import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { api } from '../../api/api.ts'

/** Account defaults for editing, read once: they must not change during the edit. */
export const defaultsQuery = queryOptions({
  queryKey: keyOf('readAccountDefaults'),
  queryFn: ({ signal }) => api.readAccountDefaults({ query: {} }, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
})
