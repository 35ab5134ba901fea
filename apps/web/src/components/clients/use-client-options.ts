import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../api/use-profile.ts'
import { clientsQuery } from './client-queries.ts'

/** Clients as options of a choice, with their names; none without the right to list them. */
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

/** The name of a client by its reference; the reference itself where the name is not known. */
export function useClientName(): (client: string) => string {
  const mayList = useMay()('internal.clients:list')
  const { data } = useQuery({ ...clientsQuery, enabled: mayList })
  return (reference) => data?.find(({ client }) => client === reference)?.client_name ?? reference
}
