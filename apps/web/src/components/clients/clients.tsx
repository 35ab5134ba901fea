import { queryOptions, useQuery } from '@tanstack/react-query'
import { allPages } from '../../api/all-pages.ts'
import { callQuery, getKey } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { useMay } from '../../api/use-profile.ts'

/** All customers of the provider by name, without its own account. */
export const clientsQuery = queryOptions({
  queryKey: getKey('listClients'),
  queryFn: async ({ signal }) => {
    const clients = await allPages((paging) => internalApi.listClients({ query: paging }, { signal }))
    return clients.filter(({ is_provider }) => !is_provider)
  },
  staleTime: 60_000,
})

export const staffQuery = queryOptions({
  queryKey: getKey('listStaff'),
  queryFn: async ({ signal }) => (await internalApi.listStaff({ query: {} }, { signal })).data,
})

/** Limits and use of all clients. */
export const licensesQuery = queryOptions({
  queryKey: getKey('listLicenses'),
  queryFn: ({ signal }) => allPages((paging) => internalApi.listLicenses({ query: paging }, { signal })),
})

/** Figures of the installation, as counted last. */
export const statisticsQuery = callQuery(internalApi, 'readStatistics')

/** Clients as select options; empty without the right to list them. */
export function useClientOptions(): { value: string; label: string }[] {
  const may = useMay()
  const { data } = useQuery({
    ...clientsQuery,
    enabled: may('internal.clients:list'),
  })
  return (data ?? []).map(({ client, client_name }) => ({
    value: client,
    label: client === client_name ? client : `${client_name} (${client})`,
  }))
}

/** Name of a client by its reference; the reference where the name is unknown. */
export function useClientName(): (client: string) => string {
  const mayList = useMay()('internal.clients:list')
  const { data } = useQuery({ ...clientsQuery, enabled: mayList })
  return (reference) => data?.find(({ client }) => client === reference)?.client_name ?? reference
}

/** The client of a row by its name. */
export function ClientCell({ row: { client } }: { row: { client: string } }) {
  return <span title={client}>{useClientName()(client)}</span>
}
