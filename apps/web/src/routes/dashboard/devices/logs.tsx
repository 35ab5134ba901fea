import { createFileRoute } from '@tanstack/react-router'
import type { SearchOf } from '../../../components/lists/call-search.ts'
import { DeviceLogs } from '../../../screens/device-logs/device-logs.tsx'

export const Route = createFileRoute('/dashboard/devices/logs')({
  // Only the type: the screen reads the address through the schema, which so stays out of the first load.
  validateSearch: (search: Record<string, unknown>) => search as SearchOf<'listDeviceLogs'>,
  component: DeviceLogs,
})
