import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../../components/lists/call-search.ts'
import { RolesList } from '../../../../screens/roles/roles-list.tsx'

export const Route = createFileRoute('/dashboard/access/roles/')({
  // Only the type: the screen reads the address through the schema, which so stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listRoles'> & { tab?: 'defaults' },
  component: RolesList,
})
