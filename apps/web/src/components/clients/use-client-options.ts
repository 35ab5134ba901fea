import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../api/use-profile.ts'
import { clientsQuery } from './client-queries.ts'

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
