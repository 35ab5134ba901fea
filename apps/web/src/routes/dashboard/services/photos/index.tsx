import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { SearchOf } from '../../../../components/lists/call-search.ts'

const list = async () => (await import('../../../../screens/payloads/service-lists.tsx')).SERVICE_LISTS.photos

export const Route = createFileRoute('/dashboard/services/photos/')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listPayloads'>,
  staticData: {
    ahead: async ({ search }): Promise<void> => (await list()).readAhead(search),
  },
  component: lazyRouteComponent(list, 'Page'),
  codeSplitGroupings: [],
})
