import { createFileRoute } from '@tanstack/react-router'
import { OverviewScreen } from '../../screens/internal/overview-screen.tsx'
import type { OverviewSearch } from '../../screens/internal/overview-search.ts'

export const Route = createFileRoute('/internal/')({
  validateSearch: (search: Record<string, unknown>) => search as OverviewSearch,
  component: OverviewScreen,
})
