import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { allPages } from '../../api/all-pages.ts'

/** Limits and use of all clients. */
export const licensesQuery = queryOptions({
  queryKey: keyOf('listLicenses'),
  queryFn: ({ signal }) => allPages((paging) => internalApi.listLicenses({ query: paging }, { signal })),
})
