import { createFileRoute } from '@tanstack/react-router'
import { OverviewScreen } from '../../screens/clients/overview-screen.tsx'
import type { OverviewSearch } from '../../screens/clients/clients-tab.tsx'

export const Route = createFileRoute('/internal/')({
  validateSearch: (search: Record<string, unknown>) => search as OverviewSearch,
  component: OverviewScreen,
})
