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
