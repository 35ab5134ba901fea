import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { Services } from '../../../screens/services/services.tsx'

export const Route = createFileRoute('/dashboard/services/')({
  // Only the type: the tabs read the address through their schemas, which so stay out of the first load.
  validateSearch: (search: Record<string, unknown>) =>
    search as SearchOf<'listLegalHolds'> & {
      tab?: 'retention' | 'holds' | 'matters' | 'requests' | 'proposals'
      /** Which matter is shown. */
      matter?: string
      /** Which request of somebody is shown. */
      request?: string
      /** Whom a new request is about: `DeviceUser/…`, `Number/…`. */
      about?: string
      /** Which certificate of destruction is shown. */
      certificate?: string
      /** Which list of destructions is shown. */
      destruction?: string
    },
  component: Services,
})
