import { createFileRoute, redirect } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { Alerts } from '../../../screens/alerts/alerts.tsx'

export const Route = createFileRoute('/dashboard/account/alerts')({
  // Only the type: the screen reads the address through the schema, which so stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listAlerts'>,
  beforeLoad: ({ search }) => {
    // The bare address means what waits for somebody.
    if (Object.keys(search).length > 0) return
    throw redirect({
      to: '/dashboard/account/alerts',
      search: { view: 'open', states: ['Triggered'], is_dismissed: false },
      replace: true,
    })
  },
  component: Alerts,
})
