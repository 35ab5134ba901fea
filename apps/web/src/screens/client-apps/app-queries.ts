import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { api } from '../../api/api.ts'

/** A client app as it is read for editing: once, so that nothing changes below the person's hands. */
export const appQuery = (app_reference: string) =>
  queryOptions({
    queryKey: keyOf('readClientApp', app_reference),
    queryFn: ({ signal }) => api.readClientApp({ params: { app_reference }, query: {} }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
