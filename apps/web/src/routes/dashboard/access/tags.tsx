import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { TagsList } from '../../../screens/tags/tags-list.tsx'

export const Route = createFileRoute('/dashboard/access/tags')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listTags'>,
  component: TagsList,
})
