import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../components/lists/call-search.ts'
import { StatisticsScreen } from '../../screens/statistics/statistics-screen.tsx'

export const Route = createFileRoute('/internal/statistics')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) =>
    search as SearchOf<'listTelemetryOfClients'> & { tab?: 'telemetry' },
  component: StatisticsScreen,
})
