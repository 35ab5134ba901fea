import { createFileRoute } from '@tanstack/react-router'
import { CallsList } from '../../../../screens/calls/calls-list.tsx'
import type { CallsSearch } from '../../../../components/payloads/payload-search.ts'

export const Route = createFileRoute('/dashboard/services/calls/')({
  // Only the type: the screen reads the address through the schema, which so stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as CallsSearch,
  component: CallsList,
})
