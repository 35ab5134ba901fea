import type { DataRequestReport, KeptPayloads, RequestKind } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Stack, Text } from '@mantine/core'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { reasonKept, reasonRecordsStay } from './reason-kept.ts'
import { RECORD_WORDS } from './request-words.ts'

/** Data kept of a person, until when and why: recordings, destroyed recordings and other records. */
export function Report({ report, kind }: { report: DataRequestReport; kind: RequestKind }) {
  const { records } = report
  return (
    <Stack gap="lg">
      {report.is_confined && (
        <Alert color="yellow" icon={<Icon name="warning" />}>
          <Trans>
            This report is incomplete: your roles do not allow all groups, recording types and other records.
            Do not answer from it alone.
          </Trans>
        </Alert>
      )}
      <Section title={<Trans>Retained recordings</Trans>}>
        <Text size="sm" c="dimmed" mb="xs">
          <Trans>
            As of <Time at={report.at} style="second" />, under the current policy.
          </Trans>{' '}
          {kind === 'Erasure' && <Trans>Reasons appear below. Manual deletion is not possible.</Trans>}
        </Text>
        <RetainedTable payloads={report.payloads} />
      </Section>
      <Section title={<Trans>Destroyed recordings</Trans>}>
        <DestroyedTable destroyed={report.destroyed} />
      </Section>
      {records !== null && records.length > 0 && (
        <Section title={<Trans>Other records</Trans>}>
          <OtherRecords records={records} />
        </Section>
      )}
    </Stack>
  )
}

function RetainedTable({ payloads }: Pick<DataRequestReport, 'payloads'>) {
  const { t, i18n } = useLingui()
  if (payloads.length === 0) return <Text size="sm">{t`None.`}</Text>
  return (
    <DataTable
      caption={t`Retained recordings`}
      rows={payloads}
      getKey={(row) => `${row.payload_type} ${JSON.stringify(row.rule)}`}
      columns={[
        { label: t`Type`, cell: (row) => i18n._(PAYLOAD_TYPE_WORDS[row.payload_type]) },
        { label: t`Recordings`, count: (row) => row.count },
        { label: t`First`, cell: (row) => <Time at={row.first_at} style="day" /> },
        { label: t`Last`, cell: (row) => <Time at={row.last_at} style="day" /> },
        {
          label: t`Due for deletion`,
          cell: (row) => (
            <EndDate when={row.delete_at} isNever={(row.rule?.delete_after_days ?? null) === null} />
          ),
        },
        {
          label: t`Due for destruction`,
          cell: (row) => (
            <EndDate when={row.destroy_at} isNever={(row.rule?.destroy_after_days ?? null) === null} />
          ),
        },
      ]}
      details={(row) => <Sentences of={reasonKept(i18n, row)} />}
    />
  )
}

function DestroyedTable({ destroyed }: Pick<DataRequestReport, 'destroyed'>) {
  const { t, i18n } = useLingui()
  if (destroyed === null)
    return (
      <Text size="sm">
        <Trans>Unknown: destroyed recordings no longer have numbers.</Trans>
      </Text>
    )
  if (destroyed.length === 0) return <Text size="sm">{t`None.`}</Text>
  return (
    <DataTable
      caption={t`Destroyed recordings`}
      rows={destroyed}
      getKey={({ payload_type }) => payload_type}
      columns={[
        { label: t`Type`, cell: (row) => i18n._(PAYLOAD_TYPE_WORDS[row.payload_type]) },
        { label: t`Recordings`, count: (row) => row.count },
        { label: t`First`, cell: (row) => <Time at={row.first_at} style="day" /> },
        { label: t`Last`, cell: (row) => <Time at={row.last_at} style="day" /> },
      ]}
    />
  )
}

function OtherRecords({ records }: { records: NonNullable<DataRequestReport['records']> }) {
  const { t, i18n } = useLingui()
  return (
    <DataTable
      caption={t`Other records`}
      rows={records}
      getKey={(row) => row.kind}
      columns={[
        { label: t`Kind`, cell: (row) => i18n._(RECORD_WORDS[row.kind]) },
        { label: t({ context: 'records of a person', message: 'Entries' }), count: (row) => row.count },
        { label: t`First`, cell: (row) => <Time at={row.first_at} style="day" /> },
        { label: t`Last`, cell: (row) => <Time at={row.last_at} style="day" /> },
        {
          label: t`Due for destruction`,
          cell: (row) =>
            row.follows === 'Payload' ? (
              <Trans context="records of a person">with their recordings</Trans>
            ) : (
              <EndDate when={row.destroy_at} isNever={row.never > 0} />
            ),
        },
      ]}
      details={(row) => <Sentences of={reasonRecordsStay(i18n, row)} />}
    />
  )
}

/** One day, or the earliest and latest; "never" where no deletion is due or its period has not begun. */
function EndDate({ when, isNever }: { when: KeptPayloads['delete_at']; isNever: boolean }) {
  if (when === null)
    return isNever ? (
      <Trans context="retention">never</Trans>
    ) : (
      <Trans context="retention">not known yet</Trans>
    )
  return (
    <>
      <Time at={when.earliest} style="day" />
      {when.latest - when.earliest >= 86_400 && (
        <>
          {' – '}
          <Time at={when.latest} style="day" />
        </>
      )}
    </>
  )
}

const Sentences = ({ of }: { of: readonly string[] }) =>
  of.length > 0 && (
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {of.join(' ')}
    </Text>
  )
