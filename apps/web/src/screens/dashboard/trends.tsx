import { CAPTURE_DAYS, type PayloadMetric, getService } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Box, Card, SimpleGrid, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { fleetApi, metricsApi } from '../../api/fleet-api.ts'
import { reviewApi } from '../../api/payload-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { ChartWithTable } from '../../components/charts/pictured.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { formatTime } from '../../ui/time-format.ts'
import type { ScreenService } from '../payloads/services.ts'
import { SERVICES } from '../payloads/services.ts'
import { BarTable } from './bar-table.tsx'
import { useSeenServices } from './home-counts.ts'

const DAY = 86_400
const WEEKS = 8
/** Days of the trends. */
const DAYS = 30
/** People and groups with most recordings. */
const TOP = 10
const COLORS: Record<ScreenService, string> = {
  calls: 'blue',
  messages: 'teal',
  interviews: 'violet',
  photos: 'orange',
  videos: 'pink',
  diagnostics: 'gray',
}

/** What the reader may see of: recordings per day, review coverage per week, capture health. */
export default function Trends() {
  const may = useMay()
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      {may('metrics:list') && <RecordedPerDay />}
      {may('reviews:list') && <CoveragePerWeek />}
      {may('metrics:list') && <MostRecorded subject="users" />}
      {may('metrics:list') && <MostRecorded subject="groups" />}
      {may('capture_gaps:list') && <CaptureHealth />}
    </SimpleGrid>
  )
}

/** Midnight UTC of the day, so many days ago. */
const midnight = (back: number): number => (Math.floor(Date.now() / 1000 / DAY) - back) * DAY

const countsQuery = (scope: 'Daily' | 'Weekly', from: number, limit: number) =>
  callQuery(metricsApi, 'countMetrics', {
    params: { scope, subject: 'periods' },
    query: { from: isoDay(from), limit },
  })

const getSum = (metrics: readonly PayloadMetric[], day: string, service?: ScreenService): number => {
  const counts = metrics.find(({ id }) => id === day)?.counts ?? {}
  return Object.entries(counts).reduce(
    (sum, [type, count]) =>
      sum + (service === undefined || getService(type as never) === service ? (count ?? 0) : 0),
    0,
  )
}

const isoDay = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10)

function RecordedPerDay() {
  const { t, i18n } = useLingui()
  const seen = useSeenServices()
  const times = useMemo(() => Array.from({ length: DAYS }, (_, i) => midnight(DAYS - 1 - i)), [])
  const query = useQuery(countsQuery('Daily', midnight(2 * DAYS - 1), 2 * DAYS))
  return (
    <Trend title={t`Recorded per day, last 30 days`} height={450} query={query}>
      {({ data }) => {
        const rows = seen
          .map((service) => ({
            service,
            values: times.map((at) => getSum(data, isoDay(at), service)),
            former: times.reduce((all, at) => all + getSum(data, isoDay(at - DAYS * DAY), service), 0),
          }))
          .filter(({ values }) => values.some((value) => value > 0))
        const sum = (values: readonly number[], from: number, to?: number) =>
          i18n.number(values.slice(from, to).reduce((all, value) => all + value, 0))
        return (
          <ChartWithTable
            none={t`Nothing in this period.`}
            times={times}
            series={rows.map(({ service, values }) => ({
              label: i18n._(SERVICES[service].title),
              color: COLORS[service],
              values,
            }))}
          >
            <DataTable
              isCompact
              caption={t`Recorded per day, last 30 days`}
              rows={rows}
              getKey={({ service }) => service}
              columns={[
                { label: t`Type`, cell: ({ service }) => i18n._(SERVICES[service].title) },
                { label: t`Last 7 days`, align: 'end', cell: ({ values }) => sum(values, -7) },
                { label: t`7 days before`, align: 'end', cell: ({ values }) => sum(values, -14, -7) },
                { label: t`30 days`, align: 'end', cell: ({ values }) => sum(values, 0) },
                { label: t`30 days before`, count: ({ former }) => former },
              ]}
            />
          </ChartWithTable>
        )
      }}
    </Trend>
  )
}

/** The ten people or groups with most recordings, and their share of all. */
function MostRecorded({ subject }: { subject: 'users' | 'groups' }) {
  const { t } = useLingui()
  const from = isoDay(midnight(DAYS - 1))
  const query = useQuery(
    callQuery(metricsApi, 'countMetrics', {
      params: { scope: 'Daily', subject },
      query: { from, limit: TOP },
    }),
  )
  const perDay = useQuery(countsQuery('Daily', midnight(2 * DAYS - 1), 2 * DAYS)).data?.data ?? []
  const all = perDay.reduce((sum, { id, count }) => sum + ((id ?? '') >= from ? count : 0), 0)
  const title =
    subject === 'users'
      ? t`Most recordings by person, last 30 days`
      : t`Most recordings by group, last 30 days`
  return (
    <Trend title={title} height={390} query={query}>
      {({ data }) => (
        <BarTable
          caption={title}
          heading={subject === 'users' ? t`Device user` : t`Group`}
          total={all}
          full={data[0]?.count}
          rows={data.map(({ id, name, count }) => ({
            label: name ?? id ?? t`Unassigned`,
            count,
            to: {
              to: '/dashboard/devices/metrics',
              search: (id === null
                ? { scope: 'Daily', by: subject }
                : {
                    scope: 'Daily',
                    by: 'periods',
                    [subject === 'users' ? 'device_user_reference' : 'groups']:
                      subject === 'users' ? id : [id],
                  }) as never,
            },
          }))}
        />
      )}
    </Trend>
  )
}

/** Mondays (UTC) of the last weeks, oldest first. */
function lastMondays(): number[] {
  const today = midnight(0)
  // 1 January 1970 was a Thursday.
  const monday = today - ((today / DAY + 3) % 7) * DAY
  return Array.from({ length: WEEKS }, (_, i) => monday - (WEEKS - 1 - i) * 7 * DAY)
}

function CoveragePerWeek() {
  const { t } = useLingui()
  const may = useMay()
  const times = useMemo(() => lastMondays(), [])
  const from = times[0] ?? 0
  const recorded = useQuery({ ...countsQuery('Weekly', from, WEEKS + 1), enabled: may('metrics:list') })
  const reviews = useQuery(callQuery(reviewApi, 'countReviews', { query: { from: isoDay(from) } }))
  return (
    <Trend title={t`Review coverage per week`} height={530} query={reviews}>
      {({ weeks }) => {
        const of = (at: number, kind: 'heard' | 'reviewed') =>
          weeks.reduce((sum, row) => sum + (row.week === at ? row[kind] : 0), 0)
        const rows = times.map((at) => ({
          at,
          recorded: getSum(recorded.data?.data ?? [], isoDay(at)),
          heard: of(at, 'heard'),
          reviewed: of(at, 'reviewed'),
        }))
        return (
          <ChartWithTable
            none={t`Nothing in this period.`}
            times={times}
            series={[
              ...(may('metrics:list')
                ? [
                    {
                      label: t({ context: 'per week', message: 'Recorded' }),
                      color: 'gray',
                      values: rows.map((row) => row.recorded),
                    },
                  ]
                : []),
              { label: t`Heard or opened`, color: 'blue', values: rows.map((row) => row.heard) },
              {
                label: t({ context: 'mark', message: 'Reviewed' }),
                color: 'teal',
                values: rows.map((row) => row.reviewed),
              },
            ]}
          >
            <CoverageTable rows={rows} />
          </ChartWithTable>
        )
      }}
    </Trend>
  )
}

function CoverageTable({
  rows,
}: {
  rows: readonly { at: number; recorded: number; heard: number; reviewed: number }[]
}) {
  const { t, i18n } = useLingui()
  return (
    <DataTable
      isCompact
      caption={t`Review coverage per week`}
      rows={rows.toReversed()}
      getKey={({ at }) => String(at)}
      columns={[
        { label: t`Week from (UTC)`, cell: ({ at }) => formatTime(at, i18n.locale, 'UTC', 'day') },
        { label: t({ context: 'per week', message: 'Recorded' }), count: (row) => row.recorded },
        { label: t`Heard or opened`, count: (row) => row.heard },
        { label: t({ context: 'mark', message: 'Reviewed' }), count: (row) => row.reviewed },
      ]}
    />
  )
}

function CaptureHealth() {
  const { t, i18n } = useLingui()
  const query = useQuery(callQuery(fleetApi, 'countCaptureGaps'))
  return (
    <Trend title={t`Open capture gaps, last 30 days`} height={390} query={query}>
      {({ days }) => {
        const rows = [0, 1, 7, CAPTURE_DAYS - 1].flatMap((back) => days.at(-1 - back) ?? [])
        return (
          <ChartWithTable
            none={t`Nothing in this period.`}
            times={days.map(({ day }) => day)}
            series={[{ label: t`Capture gaps`, color: 'red', values: days.map(({ open }) => open) }]}
          >
            <DataTable
              isCompact
              caption={t`Open capture gaps, last 30 days`}
              rows={rows}
              getKey={({ day }) => String(day)}
              columns={[
                {
                  label: t`End of the day (UTC)`,
                  cell: ({ day }) => formatTime(day, i18n.locale, 'UTC', 'day'),
                },
                { label: t`Capture gaps`, count: ({ open }) => open },
              ]}
            />
          </ChartWithTable>
        )
      }}
    </Trend>
  )
}

/** Card of a trend with its query. */
function Trend<Data>(props: {
  title: string
  /** Pixels of the content, kept free until it is there. */
  height: number
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  children: (data: Data) => ReactNode
}) {
  return (
    <Card padding="lg">
      <Title order={2} mb="md">
        {props.title}
      </Title>
      <Box mih={props.height}>
        <QueryResult query={props.query} height={props.height}>
          {props.children}
        </QueryResult>
      </Box>
    </Card>
  )
}
