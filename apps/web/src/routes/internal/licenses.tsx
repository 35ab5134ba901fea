import { createFileRoute } from '@tanstack/react-router'
import { LicensesScreen, type LicensesSearch } from '../../screens/licenses/licenses-screen.tsx'

export const Route = createFileRoute('/internal/licenses')({
  validateSearch: (search: Record<string, unknown>) => search as LicensesSearch,
  component: LicensesScreen,
})
