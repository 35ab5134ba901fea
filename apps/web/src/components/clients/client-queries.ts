import { queryOptions } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { allPages } from '../../api/all-pages.ts'

/** All customers of the provider by name, without its own account. */
export const clientsQuery = queryOptions({
  queryKey: keyOf('listClients'),
  queryFn: async ({ signal }) => {
    const clients = await allPages((paging) => internalApi.listClients({ query: paging }, { signal }))
    return clients.filter(({ is_provider }) => !is_provider)
  },
  staleTime: 60_000,
})

export const staffQuery = queryOptions({
  queryKey: keyOf('listStaff'),
  queryFn: async ({ signal }) => (await internalApi.listStaff({ query: {} }, { signal })).data,
})
