import { createFileRoute } from '@tanstack/react-router'
import { DashboardScreen } from '../../screens/dashboard/dashboard.tsx'

export const Route = createFileRoute('/dashboard/')({
  staticData: { ahead: async () => (await import('../../api/queries.ts')).askForDashboard() },
  component: DashboardScreen,
})
