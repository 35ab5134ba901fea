import { createFileRoute } from '@tanstack/react-router'
import { ClientAlertsScreen } from '../../screens/alerts/client-alerts-screen.tsx'
import type { ClientAlertsSearch } from '../../screens/alerts/client-alerts-search.ts'

export const Route = createFileRoute('/internal/alerts')({
  validateSearch: (search: Record<string, unknown>) => search as ClientAlertsSearch,
  component: ClientAlertsScreen,
})
