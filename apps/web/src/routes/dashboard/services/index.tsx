import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { Services } from '../../../screens/services/services.tsx'

export const Route = createFileRoute('/dashboard/services/')({
  // Type import only: the tabs parse the address, and their schemas stay out of the first load.
  validateSearch: (search: Record<string, unknown>) =>
    search as SearchOf<'listLegalHolds'> & {
      tab?: 'retention' | 'holds' | 'matters' | 'requests' | 'proposals'
      /** The open matter. */
      matter?: string
      /** The open request. */
      request?: string
      /** Subject of a new request: `DeviceUser/…`, `Number/…`. */
      about?: string
      /** The open certificate of destruction. */
      certificate?: string
      /** The open destruction list. */
      destruction?: string
    },
  component: Services,
})
