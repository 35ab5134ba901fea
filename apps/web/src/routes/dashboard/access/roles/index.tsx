import { createFileRoute } from '@tanstack/react-router'
import { RolesList, type RolesSearch } from '../../../../screens/roles/roles-list.tsx'

export const Route = createFileRoute('/dashboard/access/roles/')({
  // Only the type: the screen reads the address through the schema, which so stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as RolesSearch,
  component: RolesList,
})
