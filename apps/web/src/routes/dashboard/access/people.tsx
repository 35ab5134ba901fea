import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { PeopleList } from '../../../screens/people/people-list.tsx'

export const Route = createFileRoute('/dashboard/access/people')({
  // Only the type: the screen reads the address through the schema, which so stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listPeople'>,
  component: PeopleList,
})
