/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a drawing of elements is no img */
import type { PayloadType, RetentionForecast } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { retentionApi } from '../../api/governance-api.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { RETENTION_BLOCK_WORDS } from '../../components/words/retention-block-words.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { CardSection } from '../../ui/section.tsx'
import { type Act, ACT_WORDS, ACTS, CountedNote } from './preview-table.tsx'
import { subjectWord } from './retention-words.ts'
import classes from './month-bars.module.css'

/** Due dates under the saved policy, and due records that are kept. */
export default function Forecast() {
  const query = useQuery({
    ...callQuery(retentionApi, 'readRetentionForecast'),
    gcTime: 0,
  })
  return (
    <CardSection title={<Trans>Forecast</Trans>} mt="lg">
      <QueryResult query={query} height={240}>
        {(forecast) => (
          <Stack gap="lg">
            <DueTable forecast={forecast} />
            <BlockedRecords staying={forecast.staying} />
          </Stack>
        )}
      </QueryResult>
    </CardSection>
  )
}

function DueTable({ forecast: { types, records, months } }: { forecast: RetentionForecast }) {
  const { t, i18n } = useLingui()
  const number = (count: number) => (count === 0 ? '–' : i18n.number(count))
  const month = useMonth()
  const counted = [
    ...types.map(({ payload_type, ...acts }) => ({
      name: subjectWord(i18n, { entity_type: 'Payload', payload_type }),
      ...acts,
    })),
    ...records.map(({ entity_type, ...acts }) => ({ name: subjectWord(i18n, { entity_type }), ...acts })),
  ]
  const rows = counted.flatMap(({ name, ...acts }) =>
    ACTS.map((act) => ({ name, act, ...acts[act] })).filter(
      ({ due, months: by }) => due > 0 || by.some((count) => count > 0),
    ),
  )
  if (rows.length === 0)
    return (
      <Text size="sm">
        <Trans>Nothing is due within a year under the current policy.</Trans>
      </Text>
    )
  return (
    <Stack gap="sm">
      {types.length > 0 && <MonthChart types={types} months={months} />}
      <DataTable
        caption={t`Deletion schedule`}
        rows={rows}
        getKey={({ name, act }) => `${name} ${act}`}
        columns={[
          { label: t`Type`, cell: ({ name }) => name },
          { label: t`Effect`, cell: ({ act }) => i18n._(ACT_WORDS[act]) },
          { label: t`Due now`, align: 'end', cell: ({ due }) => number(due) },
          ...months.map((at, i) => ({
            label: month(at),
            align: 'end' as const,
            // Empty, so that a narrow page omits months without deletions.
            cell: ({ months: by }: (typeof rows)[number]) => (by[i] ? i18n.number(by[i]) : null),
          })),
        ]}
      />
      <CountedNote records={records} />
    </Stack>
  )
}

function useMonth() {
  const { i18n } = useLingui()
  // 'nov/26' instead of 'nov. de 26': twelve months stand side by side.
  return (at: number) =>
    i18n.date(new Date(at * 1000), { month: 'short', year: '2-digit', timeZone: 'UTC' }).replace('. de ', '/')
}

/** Recordings due by month, of all types or one. */
function MonthChart({ types, months }: Pick<RetentionForecast, 'types' | 'months'>) {
  const { t, i18n } = useLingui()
  const month = useMonth()
  const [chosen, setChosen] = useState<PayloadType | ''>('')
  const drawn = types.filter(({ payload_type }) => chosen === '' || payload_type === chosen)
  const getSum = (act: Act, i: number) => drawn.reduce((sum, type) => sum + (type[act].months[i] ?? 0), 0)
  return (
    <>
      <NativeSelect
        label={t`Chart`}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value as PayloadType | '')}
        data={[
          { value: '', label: t`All types` },
          ...types.map(({ payload_type }) => ({
            value: payload_type,
            label: i18n._(PAYLOAD_TYPE_WORDS[payload_type]),
          })),
        ]}
        maw={240}
      />
      <MonthBars
        label={
          chosen === ''
            ? t`Recordings due by month`
            : t`Recordings due by month: ${i18n._(PAYLOAD_TYPE_WORDS[chosen])}`
        }
        bars={months.map((at, i) => ({
          name: month(at),
          counts: { deleted: getSum('deleted', i), destroyed: getSum('destroyed', i) },
        }))}
      />
    </>
  )
}

/** Due records that are kept, and why. */
export function BlockedRecords({ staying }: Pick<RetentionForecast, 'staying'>) {
  const { t, i18n } = useLingui()
  if (staying.length === 0)
    return (
      <Text size="sm">
        <Trans>No due records are retained.</Trans>
      </Text>
    )
  return (
    <DataTable
      caption={t`Retained although due`}
      rows={staying}
      getKey={({ payload_type, reason }) => `${payload_type} ${reason}`}
      columns={[
        { label: t`Type`, cell: ({ payload_type }) => i18n._(PAYLOAD_TYPE_WORDS[payload_type]) },
        { label: t`Reason`, cell: ({ reason }) => i18n._(RETENTION_BLOCK_WORDS[reason]) },
        { label: t`Recordings`, count: ({ count }) => count },
      ]}
    />
  )
}

/** Bar per month and action; the table shows the same numbers. */
function MonthBars({
  label,
  bars,
}: {
  label: string
  bars: readonly { name: string; counts: Record<Act, number> }[]
}) {
  const { i18n } = useLingui()
  const most = Math.max(1, ...bars.flatMap(({ counts }) => ACTS.map((act) => counts[act])))
  return (
    <div>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn with elements, no image element fits */}
      <div className={classes.bars} role="img" aria-label={label}>
        {bars.map(({ name, counts }) => (
          <div key={name} className={classes.month}>
            <div className={classes.pair}>
              {ACTS.map((act) => (
                <div
                  key={act}
                  className={classes.bar}
                  data-act={act}
                  title={`${name}: ${i18n._(ACT_WORDS[act])} ${i18n.number(counts[act])}`}
                  style={{ height: `${(100 * counts[act]) / most}%` }}
                />
              ))}
            </div>
            <span className={classes.name}>{name}</span>
          </div>
        ))}
      </div>
      <Group mt={4} aria-hidden="true">
        {ACTS.map((act) => (
          <Group key={act} gap={6}>
            <span className={classes.swatch} data-act={act} />
            <Text size="xs" c="dimmed">
              {i18n._(ACT_WORDS[act])}
            </Text>
          </Group>
        ))}
      </Group>
    </div>
  )
}
