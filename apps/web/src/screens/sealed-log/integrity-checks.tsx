import type { IntegrityCheck, IntegrityChecks, StoreFault } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Badge, Code, Group, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getKey } from '../../api/call-keys.ts'
import { listIntegrityChecks } from '../../api/sealed-log-api.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'

/** Settings of a bucket that make a promise untrue. */
const FAULT_WORDS: Readonly<Record<StoreFault, MessageDescriptor>> = {
  versioning_off: msg`The bucket keeps no versions, so nothing can be locked.`,
  lock_off: msg`Object Lock is off in the bucket, so nothing can be locked.`,
  default_retention: msg`The bucket locks everything by default, so retention cannot destroy what is due.`,
  lifecycle_rules: msg`Lifecycle rules of the bucket remove or move recordings.`,
  settings_hidden: msg`The server may not read the settings of the bucket.`,
}

const OUTCOME_WORDS: Readonly<Record<IntegrityCheck['outcome'], MessageDescriptor>> = {
  clean: msg`No faults`,
  findings: msg`Faults found`,
  unverified: msg`Ended early`,
}

/** `/dashboard/account/audit/integrity`: what the nightly checks of the archive examined and found. */
export default function IntegrityChecksPage() {
  const { t } = useLingui()
  const query = useQuery({ queryKey: getKey('listIntegrityChecks'), queryFn: listIntegrityChecks })
  return (
    <>
      <PageHeader
        title={t`Integrity checks`}
        back={{ to: { to: '/dashboard/account/audit' }, label: <Trans>Audit</Trans> }}
        description={
          <Trans>Each night the server compares all records, and opens a part of the recordings.</Trans>
        }
      />
      <PageBody>
        <QueryResult query={query}>{(checks) => <ChecksView checks={checks} />}</QueryResult>
      </PageBody>
    </>
  )
}

function ChecksView({ checks: { store_faults, is_locked, data } }: { checks: IntegrityChecks }) {
  const { t } = useLingui()
  return (
    <>
      <StoreFaults faults={store_faults} />
      <Facts isPart title={t`Storage`}>
        <Fact label={t`Recordings`}>
          {is_locked ? (
            <Trans>Locked until the legal minimum and legal holds end (Object Lock, COMPLIANCE)</Trans>
          ) : (
            <Trans>Not locked in the storage</Trans>
          )}
        </Fact>
      </Facts>
      <Section title={t`Checks`}>
        {data.length === 0 ? (
          <Text size="sm">
            <Trans>The first check runs in the coming night.</Trans>
          </Text>
        ) : (
          <DataTable
            caption={t`Checks`}
            rows={data}
            getKey={({ started_at }) => String(started_at)}
            columns={[
              {
                label: t({ context: 'integrity check', message: 'Started' }),
                cell: (row) => <Time at={row.started_at} style="second" />,
              },
              {
                label: t({ context: 'integrity check', message: 'Ended' }),
                cell: (row) => <Time at={row.ended_at} style="second" />,
              },
              {
                label: t({ context: 'integrity check', message: 'Part' }),
                cell: (row) => <PartOf part={row.opened_part} />,
              },
              { label: t`Objects opened`, count: (row) => row.opened },
              { label: t`Result`, cell: (row) => <Outcome check={row} /> },
            ]}
          />
        )}
      </Section>
    </>
  )
}

/** Which part of the recordings was opened, such as `3 of 7`. */
function PartOf({ part }: { part: string | null }) {
  const { i18n } = useLingui()
  const [number, parts] = (part ?? '').split(' of ').map(Number)
  if (number === undefined || parts === undefined) return '–'
  return (
    <Trans>
      {i18n.number(number)} of {i18n.number(parts)}
    </Trans>
  )
}

function Outcome({ check: { outcome, findings } }: { check: IntegrityCheck }) {
  const { i18n } = useLingui()
  if (outcome === 'clean') return i18n._(OUTCOME_WORDS.clean)
  return (
    <Group gap={6}>
      <Badge color="red">{i18n._(OUTCOME_WORDS[outcome])}</Badge>
      {findings.map(({ check, count }) => (
        <Code key={check}>
          {check} {i18n.number(count)}
        </Code>
      ))}
    </Group>
  )
}

function StoreFaults({ faults }: { faults: IntegrityChecks['store_faults'] }) {
  const { t, i18n } = useLingui()
  if (faults?.length === 0) return null
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={t`The storage does not keep every promise`}>
      {faults === null ? (
        <Trans>The storage does not answer.</Trans>
      ) : (
        <List size="sm">
          {faults.map((each) => (
            <List.Item key={each}>{i18n._(FAULT_WORDS[each])}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  )
}
