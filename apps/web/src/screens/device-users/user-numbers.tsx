import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { phonesApi } from '../../api/phones-api.ts'
import { NumberTimeline } from '../../components/devices/number-timeline.tsx'

/** Number history of a person, with devices. */
export function UserNumbers({ device_user_reference }: { device_user_reference: string }) {
  const numbers = useQuery({
    queryKey: keyOf('readNumbersOfUser', device_user_reference),
    queryFn: ({ signal }) =>
      phonesApi.readNumbersOfUser({ params: { device_user_reference }, query: {} }, { signal }),
  })
  return <NumberTimeline query={numbers} of="user" />
}
