import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../components/lists/call-search.ts'
import { ClientAlerts } from '../../screens/alerts/client-alerts.tsx'

export const Route = createFileRoute('/internal/alerts')({
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listAlertsOfClients'>,
  component: ClientAlerts,
})
