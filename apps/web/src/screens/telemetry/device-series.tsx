import { Trans, useLingui } from '@lingui/react/macro'
import { Group, SegmentedControl, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keyOf } from '../../api/call-keys.ts'
import { telemetryApi } from '../../api/telemetry-api.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { formatSize } from '../payloads/size.ts'
import { Chart } from './chart.tsx'
import classes from './telemetry.module.css'

const RANGES = ['1', '7', '30'] as const
type Range = (typeof RANGES)[number]

/** A time in the format of query dates. */
const parameterOf = (at: number): string =>
  new Date(at * 1000).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')

/** Battery, storage and queue of a device over time, as charts and a table. */
export function DeviceSeries({ device_reference }: { device_reference: string }) {
  const { t, i18n } = useLingui()
  const [days, setDays] = useState<Range>('7')
  const query = useQuery({
    queryKey: keyOf('readTelemetrySeries', device_reference, days),
    queryFn: ({ signal }) =>
      telemetryApi.readTelemetrySeries(
        {
          params: { device_reference },
          query: { from: parameterOf(Math.floor(Date.now() / 1000) - Number(days) * 86_400) },
        },
        { signal },
      ),
  })
  const size = (bytes: number) => formatSize(bytes, i18n)
  const share = (percentage: number) => i18n.number(percentage / 100, { style: 'percent' })
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={2} size="h4">
          <Trans>Over time</Trans>
        </Title>
        <SegmentedControl
          aria-label={t`Time shown`}
          value={days}
          onChange={(value) => setDays(value as Range)}
          data={[
            { value: '1', label: t`24 hours` },
            { value: '7', label: t`7 days` },
            { value: '30', label: t`30 days` },
          ]}
        />
      </Group>
      <Loaded query={query} height={140}>
        {({ from, to, step, data }) => {
          const field = { from, to, step }
          const line = (name: 'battery_percentage' | 'storage_available' | 'queue_payloads') =>
            data.map((point) => ({ at: point.at, value: point[name] }))
          return (
            <>
              <div className={classes.charts}>
                <Chart
                  {...field}
                  title={t`Battery`}
                  points={line('battery_percentage')}
                  most={100}
                  format={share}
                />
                <Chart {...field} title={t`Storage left`} points={line('storage_available')} format={size} />
                <Chart
                  {...field}
                  title={t`Upload queue`}
                  points={line('queue_payloads')}
                  format={(count) => i18n.number(count)}
                />
              </div>
              <details>
                <summary className={classes.summary}>
                  <Trans>As a table</Trans>
                </summary>
                <DataTable
                  caption={t`Battery, storage and upload queue over time`}
                  rows={data.toReversed()}
                  keyOf={({ at }) => String(at)}
                  columns={[
                    { id: 'at', label: t`Time`, cell: ({ at }) => <Time at={at} /> },
                    {
                      id: 'battery',
                      label: t`Battery`,
                      align: 'end',
                      cell: ({ battery_percentage: value }) => (value === null ? '–' : share(value)),
                    },
                    {
                      id: 'storage',
                      label: t`Storage left`,
                      align: 'end',
                      cell: ({ storage_available: value }) => (value === null ? '–' : size(value)),
                    },
                    {
                      id: 'queue',
                      label: t`Upload queue`,
                      align: 'end',
                      cell: ({ queue_payloads: value }) => (value === null ? '–' : i18n.number(value)),
                    },
                  ]}
                />
              </details>
            </>
          )
        }}
      </Loaded>
    </Stack>
  )
}
