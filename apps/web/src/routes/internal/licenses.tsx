import { createFileRoute } from '@tanstack/react-router'
import { LicensesScreen } from '../../screens/licenses/licenses-screen.tsx'
import type { LicensesSearch } from '../../screens/licenses/licenses-search.ts'

export const Route = createFileRoute('/internal/licenses')({
  validateSearch: (search: Record<string, unknown>) => search as LicensesSearch,
  component: LicensesScreen,
})
