import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { DeviceLogs } from '../../../screens/device-logs/log-lists.tsx'

export const Route = createFileRoute('/dashboard/devices/logs')({
  // Type import only: the screen parses the address, and its schema stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listDeviceLogs'>,
  component: DeviceLogs,
})
