import type { CaptureStatement, SequenceGap, SequenceGapReason, StatementSummary } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callQuery, getKey } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { noticeFailure } from '../../api/notices.ts'
import { DeviceName } from '../../components/devices/links.tsx'
import { csvTime, type CsvValue, saveCsv } from '../../components/lists/csv.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import type { Words } from '../../components/words/spec-word.tsx'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { download } from '../../ui/files.ts'
import { PageBody } from '../../ui/page-body.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'

/** Why numbers are missing. */
const REASON_WORDS: Words<SequenceGapReason> = {
  factory_reset: msg`Phone was reset`,
  new_install: msg`App was installed again`,
  never_arrived: msg`Never arrived`,
}

/** Gaps that the page shows; files have all. */
const SHOWN = 200
const DAY = 86_400

/** `/dashboard/devices/completeness`: what devices recorded and the archive has, day by day. */
export default function CompletenessPage() {
  const { t } = useLingui()
  const query = useQuery(callQuery(fleetApi, 'listCaptureStatements'))
  return (
    <>
      <PageHeader
        title={t`Completeness`}
        description={<Trans>Compares what phones recorded with the archive, signed every day.</Trans>}
      />
      <PageBody>
        <QueryResult query={query}>
          {({ data: [newest, ...others] }) =>
            newest ? (
              <>
                <Gaps newest={newest} />
                <Statements statements={[newest, ...others]} />
              </>
            ) : (
              <Text size="sm">
                <Trans>
                  No statement yet. The first follows the day after phones begin to count their recordings.
                </Trans>
              </Text>
            )
          }
        </QueryResult>
      </PageBody>
    </>
  )
}

const readStatement = (statement_reference: string, signal?: AbortSignal) =>
  fleetApi.readCaptureStatement(
    { params: { statement_reference }, query: { with_names: true } },
    signal ? { signal } : {},
  )

/** The gaps of the newest statement. */
function Gaps({ newest: { statement_reference, missing, explained } }: { newest: StatementSummary }) {
  const { t, i18n } = useLingui()
  const query = useQuery({
    queryKey: getKey('readCaptureStatement', statement_reference),
    queryFn: ({ signal }) => readStatement(statement_reference, signal),
  })
  if (missing + explained === 0) return null
  return (
    <Section title={t`Gaps`}>
      <QueryResult query={query}>
        {({ statement: { gaps }, device_names = {} }) => (
          <>
            <DataTable
              caption={t`Gaps`}
              rows={gaps.slice(0, SHOWN)}
              getKey={({ chain_id, payload_type, from_seq }) => `${chain_id} ${payload_type} ${from_seq}`}
              columns={[
                {
                  label: t`Device`,
                  cell: ({ device_reference }) => (
                    <DeviceName {...{ device_reference, device_name: device_names[device_reference] }} />
                  ),
                },
                { label: t`Type`, cell: (gap) => i18n._(PAYLOAD_TYPE_WORDS[gap.payload_type]) },
                { label: t`Numbers`, align: 'end', cell: getNumbers },
                {
                  label: t({ context: 'completeness', message: 'After' }),
                  cell: (gap) => <OptionalTime at={gap.after_time} />,
                },
                {
                  label: t({ context: 'completeness', message: 'Before' }),
                  cell: (gap) => <OptionalTime at={gap.before_time} />,
                },
                { label: t`Reason`, cell: (gap) => i18n._(REASON_WORDS[gap.reason]) },
              ]}
            />
            {gaps.length > SHOWN && (
              <Text size="sm" mt="xs">
                <Trans>The CSV file has all gaps.</Trans>
              </Text>
            )}
          </>
        )}
      </QueryResult>
    </Section>
  )
}

const getNumbers = ({ from_seq, to_seq }: SequenceGap): string =>
  from_seq === to_seq ? String(from_seq) : `${from_seq}–${to_seq}`

const OptionalTime = ({ at }: { at: number | null }) => (at === null ? '–' : <Time at={at} />)

function Statements({ statements }: { statements: readonly StatementSummary[] }) {
  const { t, i18n } = useLingui()
  const figure = (
    id: 'recorded' | 'archived' | 'queued' | 'explained' | 'missing' | 'contradictory',
    label: string,
  ): DataColumn<StatementSummary> => ({
    label,
    align: 'end',
    cell: (statement) =>
      statement[id] > 0 && (id === 'missing' || id === 'contradictory') ? (
        <strong>{i18n.number(statement[id])}</strong>
      ) : (
        i18n.number(statement[id])
      ),
  })
  return (
    <Section title={t`Statements`}>
      <DataTable
        caption={t`Statements`}
        rows={statements}
        getKey={({ statement_reference }) => statement_reference}
        columns={[
          {
            label: t`Until the end of`,
            cell: ({ day }) => i18n.date(new Date(day * 1000), { dateStyle: 'medium', timeZone: 'UTC' }),
          },
          figure('recorded', t({ context: 'completeness', message: 'Recorded' })),
          figure('archived', t({ context: 'completeness', message: 'Archived' })),
          figure('queued', t({ context: 'completeness', message: 'On the way' })),
          figure('explained', t`Lost, explained`),
          figure('missing', t({ context: 'completeness', message: 'Missing' })),
          figure('contradictory', t`Contradictory`),
        ]}
        actions={(statement) => <Save statement={statement} />}
      />
    </Section>
  )
}

/** Saves the signed statement, and its gaps as a CSV file. */
function Save({ statement: { statement_reference, day } }: { statement: StatementSummary }) {
  const { t, i18n } = useLingui()
  const date = new Date(day * 1000).toISOString().slice(0, 10)
  const save = async (as: 'json' | 'csv') => {
    try {
      const { device_names = {}, ...signed } = await readStatement(statement_reference)
      if (as === 'json')
        download([JSON.stringify(signed, null, 2)], `completeness-${date}`, {
          type: 'application/json',
          ending: 'json',
        })
      else saveCsv(`gaps-${date}`, gapRows(signed.statement, device_names), i18n.locale)
    } catch (error) {
      noticeFailure(error)
    }
  }
  return (
    <Group gap={0} wrap="nowrap">
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={t`Save the statement of ${date}`}
        onClick={() => void save('json')}
      >
        <Trans>Save</Trans>
      </Button>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={t`Save the gaps of ${date} as CSV`}
        onClick={() => void save('csv')}
      >
        CSV
      </Button>
    </Group>
  )
}

/** CSV headings; they use the field names of the API. */
const HEADINGS = [
  'device_name',
  'device_reference',
  'chain_id',
  'payload_type',
  'from_seq',
  'to_seq',
  'reason',
  'after_time',
  'before_time',
]

function gapRows(
  { day, gaps, ...figures }: CaptureStatement['statement'],
  device_names: Readonly<Record<string, string>>,
): CsvValue[][] {
  return [
    ['until', csvTime(day + DAY)],
    ...(['recorded', 'archived', 'queued', 'explained', 'missing', 'contradictory'] as const).map((name) => [
      name,
      figures[name],
    ]),
    HEADINGS,
    ...gaps.map((gap) => [
      device_names[gap.device_reference],
      gap.device_reference,
      gap.chain_id,
      gap.payload_type,
      gap.from_seq,
      gap.to_seq,
      gap.reason,
      csvTime(gap.after_time ?? undefined),
      csvTime(gap.before_time ?? undefined),
    ]),
  ]
}
