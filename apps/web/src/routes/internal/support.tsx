import { createFileRoute } from '@tanstack/react-router'
import { SupportScreen } from '../../screens/support-access/support-screen.tsx'
import type { SupportSearch } from '../../screens/support-access/support-search.ts'

export const Route = createFileRoute('/internal/support')({
  // Only the type: the screen reads the address through the schema, which so stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SupportSearch,
  component: SupportScreen,
})
