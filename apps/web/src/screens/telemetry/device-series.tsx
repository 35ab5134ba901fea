import type { Answer, Api } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keyOf } from '../../api/call-keys.ts'
import { telemetryApi } from '../../api/fleet-api.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { formatSize } from '../payloads/formats.ts'
import { type ChartPoint, piecesOf } from './chart-path.ts'
import classes from './telemetry.module.css'

/** Sparkline of one value; a table shows the same numbers. */
function Chart(props: {
  title: string
  points: readonly ChartPoint[]
  from: number
  to: number
  step: number
  /** Top of the chart; default: the largest value. */
  most?: number
  format: (value: number) => string
}) {
  const { t } = useLingui()
  const { title, points, from, to, step, format } = props
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]))
  const most = props.most ?? Math.max(1, ...values)
  const last = values.at(-1)
  const [lowest, highest] = [format(Math.min(...values)), format(Math.max(...values))]
  // A device that reports every 15 minutes may skip some reports.
  const pieces = piecesOf(points, { from, to, most, pause: Math.max(4 * step, 2 * 3600) })
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
        <svg
          className={classes.chart}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
        >
          <line className={classes.base} x1="0" x2="100" y1="100" y2="100" />
          {pieces.map((piece) =>
            piece.includes(' ') ? (
              <polyline key={piece} className={classes.line} points={piece} />
            ) : (
              <polyline key={piece} className={classes.dot} points={`${piece} ${piece}`} />
            ),
          )}
        </svg>
      )}
    </figure>
  )
}

const RANGES = ['1', '7', '30'] as const
type Range = (typeof RANGES)[number]

/** A time in the format of query dates. */
const parameterOf = (at: number): string =>
  new Date(at * 1000).toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')

/** Battery, storage and queue of a device over time, as charts and a table. */
export function DeviceSeries({ device_reference }: { device_reference: string }) {
  const { t } = useLingui()
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
        {(series) => (
          <>
            <SeriesCharts series={series} />
            <SeriesTable points={series.data} />
          </>
        )}
      </Loaded>
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

function SeriesCharts({ series: { from, to, step, data } }: { series: TelemetrySeries }) {
  const { t } = useLingui()
  const { size, share, number } = useFormats()
  const field = { from, to, step }
  const line = (name: 'battery_percentage' | 'storage_available' | 'queue_payloads') =>
    data.map((point) => ({ at: point.at, value: point[name] }))
  return (
    <div className={classes.charts}>
      <Chart {...field} title={t`Battery`} points={line('battery_percentage')} most={100} format={share} />
      <Chart {...field} title={t`Storage left`} points={line('storage_available')} format={size} />
      <Chart {...field} title={t`Upload queue`} points={line('queue_payloads')} format={number} />
    </div>
  )
}

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
            cell: ({ queue_payloads: value }) => (value === null ? '–' : number(value)),
          },
        ]}
      />
    </details>
  )
}
