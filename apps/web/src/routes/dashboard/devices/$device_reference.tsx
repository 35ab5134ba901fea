import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { DevicePage } from '../../../screens/devices/device-page.tsx'

export const Route = createFileRoute('/dashboard/devices/$device_reference')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) =>
    search as SearchOf<'listPayloadsOfDevice'> & {
      tab?: 'recordings' | 'threads' | 'commands' | 'logs' | 'gps' | 'telemetry' | 'reports'
    },
  component: () => {
    const reference = Route.useParams().device_reference
    return <DevicePage key={reference} reference={reference} />
  },
})
