import { createFileRoute, redirect } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { Alerts } from '../../../screens/alerts/alerts.tsx'

export const Route = createFileRoute('/dashboard/account/alerts')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listAlerts'>,
  beforeLoad: ({ search }) => {
    // The plain address shows open alerts.
    if (Object.keys(search).length > 0) return
    throw redirect({
      to: '/dashboard/account/alerts',
      search: { view: 'open', states: ['Triggered'], is_dismissed: false },
      replace: true,
    })
  },
  component: Alerts,
})
