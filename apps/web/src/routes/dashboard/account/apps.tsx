import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { AppsList } from '../../../screens/client-apps/apps-list.tsx'

export const Route = createFileRoute('/dashboard/account/apps')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listClientApps'>,
  component: AppsList,
})
