import { createFileRoute, redirect } from '@tanstack/react-router'
import type { AlertsSearch } from '../../../screens/alerts/alert-search.ts'
import { Alerts } from '../../../screens/alerts/alerts.tsx'

export const Route = createFileRoute('/dashboard/account/alerts')({
  // Only the type: the screen reads the address through the schema, which so stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as AlertsSearch,
  beforeLoad: ({ search }) => {
    // The bare address means what waits for somebody.
    if (Object.keys(search).length > 0) return
    throw redirect({
      to: '/dashboard/account/alerts',
      search: { view: 'open', states: ['Triggered'], dismissed: 'no' },
      replace: true,
    })
  },
  component: Alerts,
})
