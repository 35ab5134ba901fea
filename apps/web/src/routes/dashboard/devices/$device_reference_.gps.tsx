import { createFileRoute } from '@tanstack/react-router'
import { DevicePage } from '../../../screens/devices/device-page.tsx'

export const Route = createFileRoute('/dashboard/devices/$device_reference_/gps')({
  validateSearch: (search: Record<string, unknown>) =>
    search as { from?: string; to?: string; map?: 'streets' },
  component: () => {
    const reference = Route.useParams().device_reference
    return <DevicePage key={reference} reference={reference} isGps />
  },
})
