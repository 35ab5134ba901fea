import type { CaptureStatement, SequenceGap, SequenceGapReason, StatementSummary } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Text, Title } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { noticeFailure } from '../../api/notices.ts'
import { deviceQuery } from '../../api/phones-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { DeviceName } from '../../components/devices/owners.tsx'
import {
  BYTE_ORDER_MARK,
  csvLines,
  csvTime,
  type CsvValue,
  separatorFor,
} from '../../components/lists/csv.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { personName } from '../../components/names.tsx'
import type { Words } from '../../components/words/spec-word.tsx'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { download } from '../../ui/files.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'

/** Why numbers are missing. */
const REASON_WORDS: Words<SequenceGapReason> = {
  factory_reset: msg`Phone was reset`,
  new_install: msg`App was installed again`,
  never_arrived: msg`Never arrived`,
}

/** Gaps that the page shows; files have all. */
const SHOWN = 200
/** Devices that the page reads for their names. */
const NAMED = 10
const DAY = 86_400

/** `/dashboard/devices/completeness`: what devices recorded and the archive has, day by day. */
export default function CompletenessPage() {
  const { t } = useLingui()
  const query = useQuery({
    queryKey: keyOf('listCaptureStatements'),
    queryFn: ({ signal }) => fleetApi.listCaptureStatements({}, { signal }),
  })
  return (
    <>
      <PageHeader
        title={t`Completeness`}
        description={<Trans>Compares what phones recorded with the archive, signed every day.</Trans>}
      />
      <PageBody>
        <Loaded query={query}>
          {({ data: [newest, ...others] }) =>
            newest ? (
              <>
                <Gaps newest={newest} />
                <Statements statements={[newest, ...others]} />
              </>
            ) : (
              <Text size="sm">
                <Trans>
                  Phones do not count their recordings yet. The first statement follows the day after they
                  start.
                </Trans>
              </Text>
            )
          }
        </Loaded>
      </PageBody>
    </>
  )
}

const readStatement = (statement_reference: string, signal?: AbortSignal) =>
  fleetApi.readCaptureStatement({ params: { statement_reference } }, signal ? { signal } : {})

/** The gaps of the newest statement. */
function Gaps({ newest: { statement_reference, missing, explained } }: { newest: StatementSummary }) {
  const { t, i18n } = useLingui()
  const query = useQuery({
    queryKey: keyOf('readCaptureStatement', statement_reference),
    queryFn: ({ signal }) => readStatement(statement_reference, signal),
  })
  const names = useDeviceNames(query.data?.statement.gaps ?? [])
  if (missing + explained === 0) return null
  return (
    <section>
      <Title order={2} size="h4" mb={6}>
        {t`Gaps`}
      </Title>
      <Loaded query={query}>
        {({ statement: { gaps } }) => (
          <>
            <DataTable
              caption={t`Gaps`}
              rows={gaps.slice(0, SHOWN)}
              keyOf={({ chain_id, payload_type, from_seq }) => `${chain_id} ${payload_type} ${from_seq}`}
              columns={[
                {
                  id: 'device',
                  label: t`Device`,
                  cell: ({ device_reference }) => (
                    <DeviceName
                      device_reference={device_reference}
                      device_name={names.get(device_reference)}
                    />
                  ),
                },
                { id: 'type', label: t`Type`, cell: (gap) => i18n._(PAYLOAD_TYPE_WORDS[gap.payload_type]) },
                { id: 'numbers', label: t`Numbers`, align: 'end', cell: numbersOf },
                {
                  id: 'after',
                  label: t({ context: 'completeness', message: 'After' }),
                  cell: (gap) => <OptionalTime at={gap.after_time} />,
                },
                {
                  id: 'before',
                  label: t({ context: 'completeness', message: 'Before' }),
                  cell: (gap) => <OptionalTime at={gap.before_time} />,
                },
                { id: 'reason', label: t`Reason`, cell: (gap) => i18n._(REASON_WORDS[gap.reason]) },
              ]}
            />
            {gaps.length > SHOWN && (
              <Text size="sm" mt="xs">
                <Trans>The CSV file has all gaps.</Trans>
              </Text>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

const numbersOf = ({ from_seq, to_seq }: SequenceGap): string =>
  from_seq === to_seq ? String(from_seq) : `${from_seq}–${to_seq}`

/** Names of the first devices with gaps; a statement has references only. */
function useDeviceNames(gaps: readonly SequenceGap[]): ReadonlyMap<string, string> {
  const enabled = useMay()('devices:read')
  const references = [...new Set(gaps.map(({ device_reference }) => device_reference))].slice(0, NAMED)
  const devices = useQueries({
    queries: references.map((reference) => ({ ...deviceQuery(reference), enabled })),
  })
  return new Map(
    devices.flatMap(({ data }): [string, string][] => {
      const name = data && [personName(data), data.model].filter(Boolean).join(' · ')
      return name ? [[data.device_reference, name]] : []
    }),
  )
}

const OptionalTime = ({ at }: { at: number | null }) => (at === null ? '–' : <Time at={at} />)

function Statements({ statements }: { statements: readonly StatementSummary[] }) {
  const { t, i18n } = useLingui()
  const figure = (
    id: 'recorded' | 'archived' | 'queued' | 'explained' | 'missing' | 'contradictory',
    label: string,
  ): DataColumn<StatementSummary> => ({
    id,
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
    <section>
      <Title order={2} size="h4" mb={6}>
        {t`Statements`}
      </Title>
      <DataTable
        caption={t`Statements`}
        rows={statements}
        keyOf={({ statement_reference }) => statement_reference}
        columns={[
          {
            id: 'day',
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
    </section>
  )
}

/** Saves the signed statement, and its gaps as a CSV file. */
function Save({ statement: { statement_reference, day } }: { statement: StatementSummary }) {
  const { t, i18n } = useLingui()
  const date = new Date(day * 1000).toISOString().slice(0, 10)
  const save = async (as: 'json' | 'csv') => {
    try {
      const signed = await readStatement(statement_reference)
      if (as === 'json')
        download([JSON.stringify(signed, null, 2)], `completeness-${date}`, {
          type: 'application/json',
          ending: 'json',
        })
      else
        download([gapLines(signed.statement, separatorFor(i18n.locale))], `gaps-${date}`, {
          type: 'text/csv',
          ending: 'csv',
        })
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
  'device_reference',
  'chain_id',
  'payload_type',
  'from_seq',
  'to_seq',
  'reason',
  'after_time',
  'before_time',
]

function gapLines(
  { day, gaps, ...figures }: CaptureStatement['statement'],
  separator: ReturnType<typeof separatorFor>,
): string {
  const rows: CsvValue[][] = [
    ['until', csvTime(day + DAY)],
    ...(['recorded', 'archived', 'queued', 'explained', 'missing', 'contradictory'] as const).map((name) => [
      name,
      figures[name],
    ]),
    HEADINGS,
    ...gaps.map((gap) => [
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
  return BYTE_ORDER_MARK + csvLines(rows, separator)
}
