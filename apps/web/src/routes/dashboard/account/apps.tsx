import { createFileRoute } from '@tanstack/react-router'
import { Apps, type AppsSearch } from '../../../screens/client-apps/apps.tsx'

export const Route = createFileRoute('/dashboard/account/apps')({
  // Only the type: the screen reads the address through the schema, which so stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as AppsSearch,
  component: Apps,
})
