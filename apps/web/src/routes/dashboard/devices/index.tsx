import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { Devices } from '../../../screens/devices/devices.tsx'

export const Route = createFileRoute('/dashboard/devices/')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) =>
    search as SearchOf<'listDevices'> & {
      reference?: string
      tab?:
        | 'recordings'
        | 'threads'
        | 'commands'
        | 'logs'
        | 'gps'
        | 'telemetry'
        | 'reports'
        | 'map'
        | 'enrolments'
        | 'capture'
    },
  component: Devices,
})
