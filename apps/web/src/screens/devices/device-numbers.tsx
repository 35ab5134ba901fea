import { useQuery } from '@tanstack/react-query'
import { NumberTimeline } from '../../components/devices/number-timeline.tsx'
import { numbersQuery } from './device-query.ts'

/** Which numbers a device had when, and who held it then. */
export const DeviceNumbers = ({ reference }: { reference: string }) => (
  <NumberTimeline query={useQuery(numbersQuery(reference))} of="device" />
)
