import { createFileRoute } from '@tanstack/react-router'
import { SupportScreen, type SupportSearch } from '../../screens/support-access/support-screen.tsx'

export const Route = createFileRoute('/internal/support')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SupportSearch,
  component: SupportScreen,
})
