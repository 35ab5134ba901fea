import { createFileRoute } from '@tanstack/react-router'
import { SupportScreen } from '../../screens/support-access/support-screen.tsx'
import type { SupportSearch } from '../../screens/support-access/support-search.ts'

export const Route = createFileRoute('/internal/support')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SupportSearch,
  component: SupportScreen,
})
