import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { Audit } from '../../../screens/activities/audit.tsx'

export const Route = createFileRoute('/dashboard/account/audit')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) =>
    search as SearchOf<'listActivities'> &
      SearchOf<'listDeviceActivities'> & {
        tab?: 'users' | 'devices'
        changes?: true
        background?: true
        entries?: true
      },
  component: Audit,
})
