import type { DeviceUser } from '@custodia/contract'
import { Paper, SimpleGrid, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { PhoneQueue } from './phone-queue.tsx'
import { UserDevices, UserEnrolments } from './user-enrolments.tsx'
import { UserFacts } from './user-facts.tsx'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { phonesApi } from '../../api/phones-api.ts'
import { NumberTimeline } from '../../components/devices/number-timeline.tsx'

/** Facts, devices and numbers of a device user. */
export default function UserOverview({ user, head }: { user: DeviceUser; head: ReactNode }) {
  const may = useMay()
  const { device_user_reference } = user
  return (
    <>
      {head}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Paper p="md">
          <Stack gap="lg">
            <UserFacts user={user} isPart />
          </Stack>
        </Paper>
        <Stack gap="lg">
          {may('users.devices:list') && (
            <Paper p="md">
              <Stack gap="md">
                <UserDevices user={user} />
                {!user.is_active && may('users.queue:read') && (
                  <PhoneQueue device_user_reference={device_user_reference} />
                )}
                {may('devices.enrolments:list') && <UserEnrolments user={user} />}
              </Stack>
            </Paper>
          )}
          {may('users.numbers:read') && (
            <Paper p="md">
              <UserNumbers device_user_reference={device_user_reference} />
            </Paper>
          )}
        </Stack>
      </SimpleGrid>
    </>
  )
}

/** Number history of a person, with devices. */
function UserNumbers({ device_user_reference }: { device_user_reference: string }) {
  const numbers = useQuery({
    queryKey: keyOf('readNumbersOfUser', device_user_reference),
    queryFn: ({ signal }) =>
      phonesApi.readNumbersOfUser({ params: { device_user_reference }, query: {} }, { signal }),
  })
  return <NumberTimeline query={numbers} of="user" />
}
