import { createFileRoute } from '@tanstack/react-router'
import { CallsList } from '../../../../screens/calls/calls-list.tsx'
import type { SearchOf } from '../../../../components/lists/call-search.ts'

export const Route = createFileRoute('/dashboard/services/calls/')({
  // Only the type: the screen reads the address through the schema, which so stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listPayloads'>,
  component: CallsList,
})
