import { Trans, useLingui } from '@lingui/react/macro'
import { Paper, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { keyOf } from '../../api/call-keys.ts'
import { telemetryApi } from '../../api/fleet-api.ts'
import { EmptyState } from '../../ui/states.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { DeviceSeries } from './device-series.tsx'
import { OpenedReport } from './opened-report.tsx'
import { ReportFacts } from './report-facts.tsx'

/** Telemetry tab of a device: newest report, history, and sealed content. */
export default function DeviceTelemetry({
  reference: device_reference,
  head,
}: {
  reference: string
  head: ReactNode
}) {
  const { t } = useLingui()
  const query = useQuery({
    queryKey: keyOf('listTelemetryOfDevice', device_reference, 'newest'),
    queryFn: async ({ signal }) => {
      const answer = await telemetryApi.listTelemetryOfDevice(
        { params: { device_reference }, query: { limit: 1 } },
        { signal },
      )
      return answer.data[0] ?? null
    },
  })
  return (
    <>
      {head}
      <Loaded query={query} rows={8}>
        {(row) =>
          row === null ? (
            <EmptyState
              icon="device"
              title={t`No telemetry yet`}
              description={t`Reports appear here after this device uploads them.`}
            />
          ) : (
            <Stack gap="lg">
              <Paper p="md">
                <DeviceSeries device_reference={device_reference} />
              </Paper>
              <Paper p="md">
                <Stack gap="lg">
                  <Text c="dimmed">
                    <Trans>
                      Reported <Time at={row.telemetry_time} />, received <Time at={row.received_at} />
                    </Trans>
                  </Text>
                  <ReportFacts facts={row.facts} isPart />
                  <OpenedReport key={row.telemetry_id} row={row} />
                </Stack>
              </Paper>
            </Stack>
          )
        }
      </Loaded>
    </>
  )
}
