import type { AccessReport } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, NativeSelect, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { peopleApi } from '../../api/access-api.ts'
import { callQuery } from '../../api/call-keys.ts'
import { useMay } from '../../api/use-profile.ts'
import {
  parseMoment,
  ExplainedPeople,
  isUnknown,
  KnownSince,
  Moment,
  type AccessPerson,
  getName,
  Reasons,
} from '../../components/explained-access.tsx'
import { csvOfRows } from '../../components/lists/csv-file.ts'
import { csvTime } from '../../components/lists/csv.ts'
import { toDateParameters } from '../../components/lists/date-range.ts'
import { actionWords } from '../../components/words/permission-words.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { download } from '../../ui/files.ts'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { heardText } from './actions/marking.ts'
import { actWords } from './audit-timeline.tsx'

/** Actions on recordings for which people are listed. */
const ACTIONS = ['payloads:play', 'payloads:download', 'payloads:export', 'payloads:read'] as const

type AccessPeriod = 'now' | 'moment' | 'period'

/** Who may open a recording and by which rule, now, at an earlier time or in a period; in a period also who did. */
export default function RecordingAccess({ reference }: { reference: string }) {
  const { t } = useLingui()
  const mayReport = useMay()('payloads.access:report')
  const [may, setMay] = useState<string>(ACTIONS[0])
  const [when, setWhen] = useState<AccessPeriod>('now')
  const [moment, setMoment] = useState('')
  const [days, setDays] = useState({ from: '', to: '' })
  return (
    <Stack gap="sm">
      <Group align="end" gap="sm" data-not-printed>
        <SegmentedControl
          aria-label={t`When`}
          value={when}
          onChange={(value) => setWhen(value as AccessPeriod)}
          data={[
            { value: 'now', label: t({ context: 'access', message: 'Now' }) },
            { value: 'moment', label: t({ context: 'access', message: 'Earlier' }) },
            ...(mayReport ? [{ value: 'period', label: t({ context: 'access', message: 'Period' }) }] : []),
          ]}
        />
        {when === 'moment' && <Moment label={t`Time`} value={moment} onChange={setMoment} />}
        {when === 'period' &&
          (['from', 'to'] as const).map((side) => (
            <TextInput
              key={side}
              type="date"
              label={side === 'from' ? t`From` : t`To`}
              value={days[side]}
              onChange={({ currentTarget: { value } }) => setDays({ ...days, [side]: value })}
            />
          ))}
        <NativeSelect
          label={when === 'now' ? t`Who may` : t`Who could`}
          value={may}
          onChange={({ currentTarget: { value } }) => setMay(value)}
          data={ACTIONS.map((value) => ({ value, label: actionWords(value) }))}
        />
      </Group>
      {when === 'period' ? (
        days.from !== '' &&
        days.to !== '' && (
          <Period key={`${days.from} ${days.to}`} reference={reference} may={may} days={days} />
        )
      ) : (
        <AtMoment reference={reference} may={may} moment={when === 'moment' ? moment : undefined} />
      )}
    </Stack>
  )
}

/** Who may at a moment; without one now. */
function AtMoment(props: { reference: string; may: string; moment: string | undefined }) {
  const { t } = useLingui()
  const { reference, may, moment } = props
  const [person, setPerson] = useState('')
  const [user_reference] = useDebouncedValue(person.trim(), 400)
  const at = parseMoment(moment ?? '')
  const query = useQuery({
    ...callQuery(peopleApi, 'listPayloadAccess', {
      params: { payload_reference: reference },
      query: { may, at, ...(user_reference !== '' && { user_reference }) },
    }),
    enabled: moment !== '',
  })
  if (moment === '') return null
  return (
    <>
      <TextInput
        label={t`Person`}
        placeholder={t`Reference; also of a person who may not`}
        value={person}
        onChange={({ currentTarget: { value } }) => setPerson(value)}
      />
      <QueryResult query={query} rows={3}>
        {(answer) => (
          <>
            {at !== undefined && <KnownSince at={at} known_since={answer.known_since} />}
            {!isUnknown({ at, known_since: answer.known_since }) && (
              <ExplainedPeople answer={answer} isPast={at !== undefined} isOfPerson={user_reference !== ''} />
            )}
          </>
        )}
      </QueryResult>
    </>
  )
}

type Report = AccessReport['report']
/** All who could in a period, and all who did. */
function Period(props: { reference: string; may: string; days: { from: string; to: string } }) {
  const { reference, may, days } = props
  const { from, to } = toDateParameters(days, 0)
  const query = useQuery({
    ...callQuery(peopleApi, 'readAccessReport', {
      params: { payload_reference: reference },
      query: { may, from: from ?? '', to: to ?? '' },
    }),
    enabled: from !== undefined && to !== undefined && from < to,
  })
  if (from === undefined || to === undefined || from >= to)
    return (
      <Text size="sm">
        <Trans>Choose a day that is not before the first one.</Trans>
      </Text>
    )
  return (
    <QueryResult query={query} rows={5}>
      {(file) => <ShownReport file={file} from={from} />}
    </QueryResult>
  )
}

function ShownReport({ file, from }: { file: AccessReport; from: string }) {
  const { known_since, available, is_cut } = file.report
  return (
    <Stack gap="sm">
      <SaveActs file={file} />
      <Text size="sm" data-print-only>
        <Trans context="access">Period</Trans>: <Span of={[file.report]} />
      </Text>
      <KnownSince at={from} known_since={known_since} />
      <Text size="sm">
        {available.length === 0 ? (
          <Trans>There was no data that a person could open.</Trans>
        ) : (
          <>
            <Trans>There was data to open:</Trans> <Span of={available} />
          </>
        )}
      </Text>
      <PermittedPeople report={file.report} />
      {is_cut && (
        <Text size="sm" fw={600}>
          <Trans>There are more people than the report contains.</Trans>
        </Text>
      )}
      <ListenersTable report={file.report} />
    </Stack>
  )
}

/** Receipts have the word of the audit tab. */
const getWords = (action: string, i18n: I18n): string =>
  actWords(action === 'receipts:confirm' ? 'receipt' : action, i18n)

function PermittedPeople({ report: { may, could } }: { report: Report }) {
  const { t, i18n } = useLingui()
  return (
    <>
      <Title order={3} size="h5">
        <Trans>Who could</Trans>: {actionWords(may)}
      </Title>
      {could.length === 0 ? (
        <Text size="sm">
          <Trans>No person could do this.</Trans>
        </Text>
      ) : (
        <DataTable
          isCompact
          caption={t`Who could`}
          rows={could}
          getKey={({ kind, user_reference }) => `${kind} ${user_reference}`}
          columns={[
            { label: t`Person`, cell: (row) => getName(row, i18n) },
            {
              label: t`Periods and roles`,
              cell: ({ periods }) => (
                <Stack gap={6}>
                  {periods.map((period, index) => (
                    <div key={`${period.from} ${index}`}>
                      <Span of={[period]} />{' '}
                      <Text span size="sm" c="dimmed">
                        {visible(period.group)}
                      </Text>
                      <Reasons is_allowed decision="granted" roles={period.roles} />
                    </div>
                  ))}
                </Stack>
              ),
            },
          ]}
        />
      )}
    </>
  )
}

function ListenersTable({ report: { did, length } }: { report: Report }) {
  const { t, i18n } = useLingui()
  return (
    <>
      <Title order={3} size="h5">
        <Trans>Who did</Trans>
      </Title>
      {did.length === 0 ? (
        <Text size="sm">
          <Trans>No person opened it in this period.</Trans>
        </Text>
      ) : (
        <DataTable
          isCompact
          caption={t`Who did`}
          rows={did}
          getKey={({ user_reference }) => user_reference}
          columns={[
            { label: t`Person`, cell: (row) => getName(row, i18n) },
            {
              label: t`What and when`,
              cell: ({ acts, heard }) => (
                <Stack gap={2}>
                  {acts.map(({ at, action, detail }, index) => (
                    <div key={`${at} ${action} ${index}`} title={detail ?? undefined}>
                      {getWords(action, i18n)} · <Time at={at} style="second" />
                    </div>
                  ))}
                  {heard !== null && (
                    <Text span size="sm" c="dimmed">
                      <Trans>Until now:</Trans> {heardText(heard, length)}
                    </Text>
                  )}
                </Stack>
              ),
            },
          ]}
        />
      )}
    </>
  )
}

/** Periods from their first to their last second. */
function Span({ of }: { of: readonly { from: number; to: number }[] }) {
  return of.map(({ from, to }, index) => (
    <span key={from}>
      {index > 0 && ' · '}
      <Time at={from} /> – <Time at={to} />
    </span>
  ))
}

function SaveActs({ file }: { file: AccessReport }) {
  const { i18n } = useLingui()
  const { report } = file
  const name = `access-${report.payload_reference}`
  return (
    <Group gap="xs" data-not-printed>
      <Button size="xs" variant="default" onClick={() => print()}>
        <Trans>Print</Trans>
      </Button>
      <Button
        size="xs"
        variant="default"
        onClick={() =>
          download(getCsv(report, i18n), name, { type: 'text/csv;charset=utf-8', ending: 'csv' })
        }
      >
        <Trans>Save as CSV</Trans>
      </Button>
      <Button
        size="xs"
        variant="default"
        onClick={() =>
          download([JSON.stringify(file, null, 2)], name, { type: 'application/json', ending: 'json' })
        }
      >
        <Trans>Save the signed report</Trans>
      </Button>
    </Group>
  )
}

interface CsvRow extends AccessPerson {
  isDone: boolean
  action: string
  from: number
  to?: number
  group?: string
  roles?: string
}

const getCsv = ({ may, could, did }: Report, i18n: I18n): string[] =>
  csvOfRows<CsvRow>(
    [
      ...could.flatMap(({ periods, ...who }) =>
        periods.map(({ roles, ...period }) => ({
          ...who,
          ...period,
          isDone: false,
          action: may,
          roles: roles.map(({ role, rules }) => `${role} (${rules.join(', ')})`).join('; '),
        })),
      ),
      ...did.flatMap(({ acts, ...who }) =>
        acts.map(({ at, action }) => ({ ...who, isDone: true, action, from: at })),
      ),
    ],
    [
      {
        label: msg`Could or did`,
        value: ({ isDone }) => i18n._(isDone ? msg({ context: 'access', message: 'did' }) : msg`could`),
      },
      { label: msg`Person`, value: (row) => getName(row, i18n) },
      { label: msg`Reference`, value: ({ user_reference }) => user_reference },
      {
        label: msg`Action`,
        value: ({ action, isDone }) => (isDone ? getWords(action, i18n) : actionWords(action)),
      },
      { label: msg`From`, unit: 'UTC', value: ({ from }) => csvTime(from) },
      { label: msg`To`, unit: 'UTC', value: ({ to }) => csvTime(to) },
      { label: msg`Group`, value: ({ group }) => group },
      { label: msg`Roles`, value: ({ roles }) => roles },
    ],
    i18n,
  )
