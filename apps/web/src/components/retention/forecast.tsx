import type { RetentionForecast } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Card, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { retentionApi } from '../../api/retention-api.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PAYLOAD_TYPE_WORDS } from '../words/payload-words.ts'
import { RETENTION_BLOCK_WORDS } from '../words/retention-block-words.ts'
import { MonthBars } from './month-bars.tsx'

/** What goes when by the policy as it is saved, and what stays although it is due. */
export default function Forecast() {
  const query = useQuery({
    queryKey: keyOf('readRetentionForecast'),
    queryFn: ({ signal }) => retentionApi.readRetentionForecast({ query: {} }, { signal }),
    gcTime: 0,
  })
  return (
    <Card component="section" mt="lg" aria-labelledby="retention-forecast">
      <Title order={2} size="h4" id="retention-forecast" mb="xs">
        <Trans>Forecast</Trans>
      </Title>
      <Loaded query={query} height={240}>
        {(forecast) => (
          <Stack gap="lg">
            <Due forecast={forecast} />
            <Staying staying={forecast.staying} />
          </Stack>
        )}
      </Loaded>
    </Card>
  )
}

function Due({ forecast: { types, months } }: { forecast: RetentionForecast }) {
  const { t, i18n } = useLingui()
  const number = (count: number) => (count === 0 ? '–' : i18n.number(count))
  const month = (at: number) =>
    i18n.date(new Date(at * 1000), { month: 'short', year: '2-digit', timeZone: 'UTC' })
  if (types.length === 0)
    return (
      <Text size="sm">
        <Trans>By the policy as it is nothing is due within a year.</Trans>
      </Text>
    )
  return (
    <Stack gap="sm">
      <MonthBars
        label={t`Recordings that become due, by month`}
        bars={months.map((at, i) => ({
          name: month(at),
          count: types.reduce((sum, type) => sum + (type.months[i] ?? 0), 0),
        }))}
      />
      <DataTable
        caption={t`What goes when`}
        rows={types}
        keyOf={({ payload_type }) => payload_type}
        columns={[
          {
            id: 'type',
            label: t`Type`,
            cell: ({ payload_type }) => i18n._(PAYLOAD_TYPE_WORDS[payload_type]),
          },
          { id: 'due', label: t`Due now`, align: 'end', cell: ({ due }) => number(due) },
          ...months.map((at, i) => ({
            id: String(at),
            label: month(at),
            align: 'end' as const,
            cell: (type: RetentionForecast['types'][number]) => number(type.months[i] ?? 0),
          })),
        ]}
      />
      <Text size="sm" c="dimmed">
        <Trans>
          Counted now, by months in UTC. What a legal hold keeps, and what waits for a receipt, a transfer or
          a person, is not counted.
        </Trans>
      </Text>
    </Stack>
  )
}

function Staying({ staying }: Pick<RetentionForecast, 'staying'>) {
  const { t, i18n } = useLingui()
  if (staying.length === 0)
    return (
      <Text size="sm">
        <Trans>Nothing that is due is kept back.</Trans>
      </Text>
    )
  return (
    <DataTable
      caption={t`Stays although it is due`}
      rows={staying}
      keyOf={({ payload_type, reason }) => `${payload_type} ${reason}`}
      columns={[
        {
          id: 'type',
          label: t`Type`,
          cell: ({ payload_type }) => i18n._(PAYLOAD_TYPE_WORDS[payload_type]),
        },
        { id: 'reason', label: t`Because`, cell: ({ reason }) => i18n._(RETENTION_BLOCK_WORDS[reason]) },
        { id: 'count', label: t`Recordings`, align: 'end', cell: ({ count }) => i18n.number(count) },
      ]}
    />
  )
}
