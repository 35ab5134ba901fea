import { useQuery } from '@tanstack/react-query'
import { NumberTimeline } from '../../components/devices/number-timeline.tsx'
import { numbersQuery } from './device-query.ts'

/** Numbers of a device, with holders. */
export const DeviceNumbers = ({ reference }: { reference: string }) => (
  <NumberTimeline query={useQuery(numbersQuery(reference))} of="device" />
)
