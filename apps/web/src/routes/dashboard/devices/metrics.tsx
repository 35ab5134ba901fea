import type { MetricScope, MetricSubject } from '@custodia/contract'
import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { Metrics } from '../../../screens/metrics/metrics.tsx'

export const Route = createFileRoute('/dashboard/devices/metrics')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) =>
    search as SearchOf<'listMetrics'> & { scope?: MetricScope; by?: MetricSubject | 'each' },
  component: Metrics,
})
