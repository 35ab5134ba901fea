import { createFileRoute } from '@tanstack/react-router'
import { OverviewScreen } from '../../screens/clients/overview-screen.tsx'
import type { OverviewSearch } from '../../screens/clients/overview-search.ts'

export const Route = createFileRoute('/internal/')({
  validateSearch: (search: Record<string, unknown>) => search as OverviewSearch,
  component: OverviewScreen,
})
