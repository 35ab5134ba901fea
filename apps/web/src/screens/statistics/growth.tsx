import type { Statistics } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Paper, SimpleGrid, Title } from '@mantine/core'
import { useMemo } from 'react'
import { ChartWithTable } from '../../components/charts/pictured.tsx'
import type { Scales } from '../../components/charts/time-chart.tsx'
import { useClientName } from '../../components/clients/clients.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { formatSize } from '../payloads/formats.ts'

type Growth = Statistics['growth'][number]

const COLORS = ['blue', 'orange', 'teal', 'violet', 'pink']
const MEGABYTE = 1e6
const SIZES = [1, 2, 5]
  .flatMap((step) => [step, step * 10, step * 100])
  .flatMap((step) => [step * 1e6, step * 1e9, step * 1e12])

/** Recordings and storage by client and month: lines for the largest clients, and a table for all. */
export default function GrowthCharts({ growth: all }: { growth: readonly Growth[] }) {
  const { t, i18n } = useLingui()
  const growth = useMemo(
    () => all.filter(({ months }) => months.some(({ recordings, size_mb }) => recordings > 0 || size_mb > 0)),
    [all],
  )
  const scales = useMemo<Scales>(
    () => ({
      times: 'days',
      format: (size) => formatSize(size, i18n),
      steps: SIZES.toSorted((a, b) => a - b),
    }),
    [i18n],
  )
  const recordings = useMemo(() => getLines(growth, ({ recordings: count }) => count), [growth])
  const sizes = useMemo(() => getLines(growth, ({ size_mb }) => size_mb * MEGABYTE, true), [growth])
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Chart title={t`Recordings by month`} lines={recordings} format={(count) => i18n.number(count)} />
      <Chart
        title={t`Stored data by month of arrival`}
        lines={sizes}
        scales={scales}
        format={(size) => formatSize(size, i18n)}
      />
    </SimpleGrid>
  )
}

interface Lines {
  times: number[]
  clients: { client: string; values: number[] }[]
}

/** The clients' values by month, the largest last value first. */
function getLines(
  growth: readonly Growth[],
  valueOf: (month: Growth['months'][number]) => number,
  isCumulative = false,
): Lines {
  const clients = growth.map(({ client, months }) => {
    let sum = 0
    return {
      client,
      values: months.map((month) => {
        sum = isCumulative ? sum + valueOf(month) : valueOf(month)
        return sum
      }),
    }
  })
  return {
    times: growth[0]?.months.map(({ start }) => start) ?? [],
    clients: clients.toSorted((a, b) => (b.values.at(-1) ?? 0) - (a.values.at(-1) ?? 0)),
  }
}

function Chart(props: { title: string; lines: Lines; scales?: Scales; format: (value: number) => string }) {
  const { t, i18n } = useLingui()
  const { times, clients } = props.lines
  const clientName = useClientName()
  const series = COLORS.flatMap((color, i) => {
    const line = clients[i]
    return line ? [{ label: clientName(line.client), color, values: line.values }] : []
  })
  const month = (start: number | undefined) =>
    i18n.date(new Date((start ?? 0) * 1000), { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const [first, last] = [month(times[0]), month(times.at(-1))]
  return (
    <Paper p="md" mih={{ base: 580, sm: 420 }}>
      <Title order={2} mb="sm">
        {props.title}
      </Title>
      <ChartWithTable
        times={times}
        series={series}
        none={t`No recordings yet.`}
        {...(props.scales && { scales: props.scales })}
      >
        <DataTable
          caption={props.title}
          rows={clients}
          getKey={({ client }) => client}
          columns={[
            { label: t`Client`, cell: ({ client }) => clientName(client) },
            { label: first, align: 'end', cell: ({ values }) => props.format(values[0] ?? 0) },
            { label: last, align: 'end', cell: ({ values }) => props.format(values.at(-1) ?? 0) },
          ]}
        />
      </ChartWithTable>
    </Paper>
  )
}
