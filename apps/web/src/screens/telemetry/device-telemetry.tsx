import type { Answer, Api } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Paper, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useMemo, useState } from 'react'
import { getKey } from '../../api/call-keys.ts'
import { telemetryApi } from '../../api/fleet-api.ts'
import { TimeChart } from '../../components/charts/pictured.tsx'
import type { Scales } from '../../components/charts/time-chart.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { formatSize } from '../payloads/formats.ts'
import { type ChartPoint, withGaps } from './chart-points.ts'
import { OpenedReport } from './opened-report.tsx'
import { ReportFacts } from './report-facts.tsx'
import classes from './telemetry.module.css'

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
    queryKey: getKey('listTelemetryOfDevice', device_reference, 'newest'),
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
      <QueryResult query={query} rows={8}>
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
      </QueryResult>
    </>
  )
}

/** A value over time with its axes; a table shows the same numbers. */
function Chart(props: { title: string; points: readonly ChartPoint[]; step: number; scales: Scales }) {
  const { t } = useLingui()
  const { title, points, step, scales } = props
  const { format = String } = scales
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]))
  const last = values.at(-1)
  const [lowest, highest] = [format(Math.min(...values)), format(Math.max(...values))]
  const { times, series } = useMemo(() => {
    // A device that reports every 15 minutes may skip some reports.
    const shown = withGaps(points, Math.max(4 * step, 2 * 3600))
    return {
      times: shown.map(({ at }) => at),
      series: [{ label: title, color: 'blue', values: shown.map(({ value }) => value) }],
    }
  }, [points, step, title])
  return (
    <figure style={{ margin: 0 }}>
      <figcaption>
        <Text component="span" fw={600}>
          {title}
        </Text>{' '}
        {last !== undefined && (
          <Text component="span" className="tabular">
            {format(last)}
          </Text>
        )}
        {values.length > 0 && (
          <Text size="sm" c="dimmed">
            {t`Between ${lowest} and ${highest}`}
          </Text>
        )}
      </figcaption>
      {values.length === 0 ? (
        <Text c="dimmed">{t`Not reported in this period.`}</Text>
      ) : (
        <Suspense fallback={<Skeleton h={160} />}>
          <TimeChart times={times} series={series} scales={scales} />
        </Suspense>
      )}
    </figure>
  )
}

const RANGES = ['1', '7', '30'] as const
type Range = (typeof RANGES)[number]

/** A time in the format of query dates. */
const getParameter = (at: number): string =>
  new Date(at * 1000).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')

/** Battery, storage and queue of a device over time, as charts and a table. */
function DeviceSeries({ device_reference }: { device_reference: string }) {
  const { t } = useLingui()
  const [days, setDays] = useState<Range>('7')
  const query = useQuery({
    queryKey: getKey('readTelemetrySeries', device_reference, days),
    queryFn: ({ signal }) =>
      telemetryApi.readTelemetrySeries(
        {
          params: { device_reference },
          query: { from: getParameter(Math.floor(Date.now() / 1000) - Number(days) * 86_400) },
        },
        { signal },
      ),
  })
  return (
    <Stack>
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
      <div className={classes.series}>
        <QueryResult query={query} height={264}>
          {(series) => (
            <>
              <SeriesCharts series={series} />
              <SeriesTable points={series.data} />
            </>
          )}
        </QueryResult>
      </div>
    </Stack>
  )
}

type TelemetrySeries = Answer<Api['readTelemetrySeries']>

function useFormats() {
  const { i18n } = useLingui()
  return {
    size: (bytes: number) => formatSize(bytes, i18n),
    share: (percentage: number) => i18n.number(percentage / 100, { style: 'percent' }),
    number: (count: number) => i18n.number(count),
  }
}

const GB = 1e9

function SeriesCharts({ series: { step, data } }: { series: TelemetrySeries }) {
  const { t } = useLingui()
  const { size, share, number } = useFormats()
  const line = useMemo(() => {
    const of = (name: 'battery_percentage' | 'storage_available' | 'queue_payloads') =>
      data.map((point) => ({ at: point.at, value: point[name] }))
    return {
      battery: of('battery_percentage'),
      storage: of('storage_available'),
      queue: of('queue_payloads'),
    }
  }, [data])
  const battery = useScales({ format: share, most: 100, steps: [25, 50] })
  const storage = useScales({
    format: size,
    steps: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500].map((n) => n * GB),
  })
  const queue = useScales({ format: number })
  return (
    <div className={classes.charts}>
      <Chart step={step} title={t`Battery`} points={line.battery} scales={battery} />
      <Chart step={step} title={t`Storage left`} points={line.storage} scales={storage} />
      <Chart step={step} title={t`Upload queue`} points={line.queue} scales={queue} />
    </div>
  )
}

/** Scales that keep their identity, so that the chart is drawn once; the language changes with the page. */
const useScales = (scales: Omit<Scales, 'times'>): Scales =>
  useState<Scales>({ times: 'moments', ...scales })[0]

function SeriesTable({ points }: { points: TelemetrySeries['data'] }) {
  const { t } = useLingui()
  const { size, share, number } = useFormats()
  return (
    <details>
      <summary className={classes.summary}>
        <Trans>As a table</Trans>
      </summary>
      <DataTable
        caption={t`Battery, storage and upload queue over time`}
        rows={points.toReversed()}
        getKey={({ at }) => String(at)}
        columns={[
          { label: t`Time`, cell: ({ at }) => <Time at={at} /> },
          {
            label: t`Battery`,
            align: 'end',
            cell: ({ battery_percentage: value }) => (value === null ? '–' : share(value)),
          },
          {
            label: t`Storage left`,
            align: 'end',
            cell: ({ storage_available: value }) => (value === null ? '–' : size(value)),
          },
          {
            label: t`Upload queue`,
            align: 'end',
            cell: ({ queue_payloads: value }) => (value === null ? '–' : number(value)),
          },
        ]}
      />
    </details>
  )
}
