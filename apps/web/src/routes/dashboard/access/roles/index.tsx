import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../../components/lists/call-search.ts'
import { RolesList } from '../../../../screens/roles/roles-list.tsx'

export const Route = createFileRoute('/dashboard/access/roles/')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listRoles'> & { tab?: 'defaults' },
  component: RolesList,
})
