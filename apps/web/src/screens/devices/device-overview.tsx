import type { Device } from '@custodia/contract'
import { Paper, SimpleGrid, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { DeviceFacts } from './device-facts.tsx'
import { useQuery } from '@tanstack/react-query'
import { NumberTimeline } from '../../components/devices/number-timeline.tsx'
import { numbersQuery } from './device-query.ts'
import { DeviceHistory, WaitingNotice } from './waiting-notice.tsx'

/** Numbers of a device, with holders. */
const DeviceNumbers = ({ reference }: { reference: string }) => (
  <NumberTimeline query={useQuery(numbersQuery(reference))} of="device" />
)

/** Facts, holders and numbers of a device. */
export default function DeviceOverview({ device, head }: { device: Device; head: ReactNode }) {
  const may = useMay()
  return (
    <>
      {head}
      <WaitingNotice device={device} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Paper p="md">
          <Stack gap="lg">
            <DeviceFacts device={device} isPart />
          </Stack>
        </Paper>
        <Stack gap="lg">
          {may('devices.history:read') && (
            <Paper p="md">
              <DeviceHistory reference={device.device_reference} />
            </Paper>
          )}
          {may('devices.numbers:read') && (
            <Paper p="md">
              <DeviceNumbers reference={device.device_reference} />
            </Paper>
          )}
        </Stack>
      </SimpleGrid>
    </>
  )
}
