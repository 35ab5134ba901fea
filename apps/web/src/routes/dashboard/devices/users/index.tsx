import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../../components/lists/call-search.ts'
import { UsersList } from '../../../../screens/device-users/users-list.tsx'

export const Route = createFileRoute('/dashboard/devices/users/')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listDeviceUsers'>,
  component: UsersList,
})
