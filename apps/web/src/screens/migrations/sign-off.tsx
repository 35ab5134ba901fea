import type { MigrationRun, MigrationSignOff } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Badge, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { repeatedQuery } from '../../api/call-keys.ts'
import { noticeDone } from '../../api/notices.ts'
import { migrationsApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { ReasonDialog } from '../../components/reason-dialog.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { getDetail, screenService } from '../payloads/services.ts'

/** Poll interval while the run's recordings are processed, in milliseconds. */
const LOOK_EVERY = 3000

/** `?tab=sign_off` of a run: files against imported records, the sample, and the acceptance. */
export default function SignOff({ run, head }: { run: MigrationRun; head: ReactNode }) {
  const { t } = useLingui()
  const { migration_reference } = run
  const isPossible = !run.is_dry_run && ['Migrated', 'PartialFail'].includes(run.migration_state)
  const query = useQuery({
    ...repeatedQuery(migrationsApi, 'readMigrationSignOff', { params: { migration_reference } }),
    enabled: isPossible,
    // Refetches on return from the sample recordings.
    refetchOnMount: 'always',
    refetchInterval: ({ state: { data } }) =>
      data?.types.some(({ awaited }) => awaited > 0) ? LOOK_EVERY : false,
  })
  return (
    <>
      {head}
      {isPossible ? (
        <QueryResult query={query} height={420}>
          {(found) => <SignOffParts run={run} found={found} />}
        </QueryResult>
      ) : (
        <EmptyState
          icon="shield-check"
          title={t`Nothing to accept`}
          description={t`Only a finished run with imports can be accepted, not a dry run.`}
        />
      )}
    </>
  )
}

function SignOffParts({ run, found }: { run: MigrationRun; found: MigrationSignOff }) {
  return (
    <Stack gap="lg">
      <Status run={run} found={found} />
      <PageBody>
        <Sample found={found} />
        <Files found={found} />
        <Types found={found} />
      </PageBody>
    </Stack>
  )
}

/** Whether it is accepted, or the open conditions. */
function Status({ run, found }: { run: MigrationRun; found: MigrationSignOff }) {
  const { t } = useLingui()
  const { signed_off_at, explanation } = run
  if (signed_off_at !== null)
    return (
      <Alert color="green" icon={<Icon name="shield-check" />} title={t`This run is accepted`}>
        <Text size="sm">
          {authorName(run, 'signed_off_by')} · <Time at={signed_off_at} style="second" />
        </Text>
        {explanation !== null && <Text size="sm">{visible(explanation)}</Text>}
      </Alert>
    )
  const unseen = found.sample.filter((each) => !isSeen(each)).length
  const awaited = found.types.reduce((sum, each) => sum + each.awaited, 0)
  return (
    <Alert color="blue" icon={<Icon name="info" />} title={t`This run is not accepted yet`}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          <Trans>Retention skips its recordings until a person accepts the migration.</Trans>
        </Text>
        {unseen > 0 && (
          <Text size="sm">
            <Plural
              value={unseen}
              one="Open or play # more recording of the sample."
              other="Open or play # more recordings of the sample."
            />
          </Text>
        )}
        {awaited > 0 && (
          <Text size="sm">
            <Plural
              value={awaited}
              one="# recording is still being processed."
              other="# recordings are still being processed."
            />
          </Text>
        )}
        {found.differences > 0 && (
          <Text size="sm">
            <Plural
              value={found.differences}
              one="# difference needs an explanation."
              other="# differences need an explanation."
            />
          </Text>
        )}
        {found.is_ready && <AcceptForm run={run} found={found} />}
      </Stack>
    </Alert>
  )
}

const isSeen = ({ is_opened, must_play, is_played }: MigrationSignOff['sample'][number]): boolean =>
  is_opened && (!must_play || is_played)

function AcceptForm({ run: { migration_reference }, found }: { run: MigrationRun; found: MigrationSignOff }) {
  const { t } = useLingui()
  const may = useMay()('migrations:sign')
  const [isAsking, setAsking] = useState(false)
  const accept = (explanation?: string) =>
    migrationsApi.signMigration({
      params: { migration_reference },
      query: {},
      body: explanation === undefined ? {} : { explanation },
    })
  const meaning = (
    <Text size="sm">
      <Trans>
        The audit log records your name. Retention then applies to these recordings. This cannot be undone.
      </Trans>
    </Text>
  )
  if (!may) return null
  if (found.differences === 0)
    return (
      <ActButton
        action="migrations:sign"
        icon="shield-check"
        label={t`Accept the run`}
        question={t`Accept the imported records?`}
        done={t`Run accepted`}
        onAct={() => accept()}
      >
        {meaning}
      </ActButton>
    )
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="shield-check" size={16} />}
        onClick={() => setAsking(true)}
      >
        <Trans>Accept the run</Trans>
      </Button>
      {isAsking && (
        <ReasonDialog
          title={t`Accept the imported records?`}
          name="explanation"
          description={t`Reason for accepting the differences.`}
          limits={{ min: 1, max: 2000 }}
          submitLabel={<Trans>Accept the run</Trans>}
          save={accept}
          onSaved={() => {
            noticeDone(t`Run accepted`)
            setAsking(false)
          }}
          onClose={() => setAsking(false)}
        >
          {meaning}
        </ReasonDialog>
      )}
    </>
  )
}

function Sample({ found: { sample } }: { found: MigrationSignOff }) {
  const { t, i18n } = useLingui()
  if (sample.length === 0) return null
  return (
    <Section title={<Trans>Sample</Trans>}>
      <Text size="sm" c="dimmed" mb={6}>
        <Trans>Drawn at random after the run. Only later checks count.</Trans>
      </Text>
      <DataTable
        caption={t`Sample`}
        rows={sample}
        getKey={({ payload_reference }) => payload_reference}
        columns={[
          {
            label: t({ context: 'migration', message: 'Recording' }),
            cell: (row) => <SampleLink row={row} />,
          },
          { label: t`Type`, cell: ({ payload_type }) => i18n._(PAYLOAD_TYPE_WORDS[payload_type]) },
          {
            label: t({ context: 'migration', message: 'Opened' }),
            cell: ({ is_opened }) => <Done isDone={is_opened} />,
          },
          {
            label: t({ context: 'migration', message: 'Played' }),
            cell: ({ must_play, is_played }) => (must_play ? <Done isDone={is_played} /> : '–'),
          },
        ]}
      />
    </Section>
  )
}

function SampleLink({ row }: { row: MigrationSignOff['sample'][number] }) {
  const service = screenService(row.payload_type)
  const name = visible(row.item)
  if (!service) return name
  return (
    <TextLink style={{ overflowWrap: 'anywhere' }} {...getDetail(service, row.payload_reference)}>
      {name}
    </TextLink>
  )
}

const Done = ({ isDone }: { isDone: boolean }) =>
  isDone ? (
    <Badge color="green" leftSection={<Icon name="check" size={13} />}>
      <Trans context="sample of a migration">Yes</Trans>
    </Badge>
  ) : (
    <Badge color="gray">
      <Trans context="sample of a migration">Not yet</Trans>
    </Badge>
  )

function Files({ found: { files } }: { found: MigrationSignOff }) {
  const { t } = useLingui()
  return (
    <Section title={<Trans>Files and results</Trans>}>
      <DataTable
        caption={t`Files and results`}
        rows={files}
        getKey={({ filename }) => filename}
        columns={[
          {
            label: t({ context: 'migration', message: 'File' }),
            cell: ({ filename, sha256 }) => (
              <>
                <span style={{ overflowWrap: 'anywhere' }}>{visible(filename)}</span>
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }} title="SHA-256">
                  {sha256}
                </Text>
              </>
            ),
          },
          { label: t`Rows in the file`, count: (row) => row.rows },
          { label: t({ context: 'migration', message: 'Results' }), count: (row) => row.results },
          { label: t({ context: 'migration', message: 'Successes' }), count: (row) => row.imported },
          { label: t({ context: 'migration', message: 'Warnings' }), count: (row) => row.warnings },
          { label: t({ context: 'migration', message: 'Errors' }), count: (row) => row.errors },
        ]}
      />
    </Section>
  )
}

function Types({ found: { types } }: { found: MigrationSignOff }) {
  const { t, i18n } = useLingui()
  if (types.length === 0) return null
  return (
    <Section title={<Trans>Recordings by type</Trans>}>
      <DataTable
        caption={t`Recordings by type`}
        rows={types}
        getKey={({ payload_type }) => payload_type ?? ''}
        columns={[
          {
            label: t`Type`,
            cell: ({ payload_type }) =>
              payload_type === null ? t`No known type` : i18n._(PAYLOAD_TYPE_WORDS[payload_type]),
          },
          { label: t({ context: 'migration', message: 'Rows' }), count: (row) => row.rows },
          { label: t({ context: 'migration', message: 'Imported' }), count: (row) => row.imported },
          { label: t`Hash matches the source`, count: (row) => row.verified },
          { label: t`Being processed`, count: (row) => row.awaited },
          { label: t`Hash differs`, count: (row) => row.differing },
        ]}
      />
    </Section>
  )
}
