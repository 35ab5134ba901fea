import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../../components/lists/call-search.ts'
import { UserPage } from '../../../../screens/device-users/user-page.tsx'

export const Route = createFileRoute('/dashboard/devices/users/$device_user_reference')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) =>
    search as Omit<SearchOf<'listPayloadsOfUser'>, 'edit'> & {
      tab?: 'recordings' | 'logs' | 'capture' | 'gps'
      edit?: true
    },
  component: () => {
    const reference = Route.useParams().device_user_reference
    return <UserPage key={reference} reference={reference} />
  },
})
