import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { SupportAccess } from '../../../screens/support-access/support-access.tsx'

export const Route = createFileRoute('/dashboard/account/support-access')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listSupportAccess'>,
  component: SupportAccess,
})
