import type { MigrationResultClass, MigrationRun } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Stack, Text } from '@mantine/core'
import { Fact, Facts } from '../../components/facts.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { ResultClass } from './migration-badges.tsx'
import { RESULT_WORDS } from './migration-words.ts'

/** Rows read, results by type, starter and approver of a run. */
export function RunOverview({ run }: { run: MigrationRun }) {
  const { t } = useLingui()
  return (
    <Stack gap="lg">
      {run.error_message !== null && (
        <Alert color="red" icon={<Icon name="alert-circle" />} title={t`The run did not finish`}>
          {visible(run.error_message)}
        </Alert>
      )}
      {run.migration_state === 'Quarantined' && (
        <Alert color="red" icon={<Icon name="shield-alert" />} title={t`Nothing was imported`}>
          <Trans>The scanner found malware in a file. Remove it from the drop folder and start again.</Trans>
        </Alert>
      )}
      {(run.migration_state === 'Migrated' || run.migration_state === 'PartialFail') && <Outcome run={run} />}
      <PageBody>
        <Counts run={run} />
        <Results run={run} />
        <RunFacts run={run} />
      </PageBody>
    </Stack>
  )
}

/** What a finished run found or imported, and what to do next. */
function Outcome({ run }: { run: MigrationRun }) {
  const { t, i18n } = useLingui()
  const { errors, is_dry_run } = run
  const list = new Intl.ListFormat(i18n.locale, { type: 'conjunction' })
  const added = list.format(
    [
      run.new_groups > 0 && t`${plural(run.new_groups, { one: '# group', other: '# groups' })}`,
      run.new_users > 0 && t`${plural(run.new_users, { one: '# device user', other: '# device users' })}`,
      run.new_devices > 0 && t`${plural(run.new_devices, { one: '# device', other: '# devices' })}`,
      run.new_payloads > 0 && t`${plural(run.new_payloads, { one: '# recording', other: '# recordings' })}`,
    ].filter((part) => part !== false),
  )
  const title = is_dry_run
    ? added === ''
      ? t`The import would add nothing`
      : t`The import would add ${added}`
    : added === ''
      ? t`The import added nothing`
      : t`The import added ${added}`
  return (
    <Alert
      color={errors > 0 ? 'orange' : 'green'}
      icon={<Icon name={errors > 0 ? 'warning' : 'check'} />}
      title={title}
    >
      {errors > 0 ? (
        <Text size="sm">
          <Plural value={errors} one="# row has an error." other="# rows have errors." />{' '}
          {is_dry_run ? (
            <Trans>Correct the files and repeat the dry run, or import the other rows.</Trans>
          ) : (
            <Trans>Correct the files, then retry the failed rows.</Trans>
          )}
        </Text>
      ) : is_dry_run || run.signed_off_at !== null ? null : (
        <LinkAnchor
          size="sm"
          c="inherit"
          underline="always"
          to="/dashboard/account/migrations/$migration_reference"
          params={{ migration_reference: run.migration_reference }}
          search={{ tab: 'sign_off' }}
        >
          <Trans>Compare and accept the import</Trans>
        </LinkAnchor>
      )}
    </Alert>
  )
}

function RunFacts({ run }: { run: MigrationRun }) {
  const { t } = useLingui()
  const { migrated_at, retry_of, settled_by, signed_off_at, explanation } = run
  return (
    <Facts isPart title={t({ context: 'migration', message: 'Run' })}>
      <Fact label={t`Reference`}>{run.migration_reference}</Fact>
      <Fact label={t({ context: 'migration', message: 'Files' })}>
        {run.filename !== '' && (
          <span style={{ overflowWrap: 'anywhere' }}>{visible(run.filename.replaceAll(',', ', '))}</span>
        )}
      </Fact>
      <Fact label={t({ context: 'migration', message: 'Started' })}>
        <Time at={run.created_at} style="second" /> · {authorName(run, 'created_by')}
      </Fact>
      <Fact label={t({ context: 'migration', message: 'Ended' })}>
        {migrated_at !== null && <Time at={migrated_at} style="second" />}
      </Fact>
      <Fact label={t`Retries failures of`}>{retry_of !== null && <RunLink reference={retry_of} />}</Fact>
      <Fact label={t`Succeeded on retry in`}>
        {settled_by !== null && <RunLink reference={settled_by} />}
      </Fact>
      <Fact label={t({ context: 'migration', message: 'Accepted' })}>
        {signed_off_at !== null && (
          <>
            <Time at={signed_off_at} style="second" /> · {authorName(run, 'signed_off_by')}
          </>
        )}
      </Fact>
      <Fact label={t`Reason for accepting differences`}>{explanation !== null && visible(explanation)}</Fact>
      <Fact label={t`File erasure`}>{erasedWhen(run)}</Fact>
      <Fact label={t`Files erased`}>
        {run.sources_erased_at !== null && <Time at={run.sources_erased_at} style="second" />}
      </Fact>
    </Facts>
  )
}

/** When a run's files are erased, or the open condition; null: no erasure planned. */
function erasedWhen(run: MigrationRun) {
  if (run.sources_erase_at !== null) return <Time at={run.sources_erase_at} />
  if (run.is_dry_run || run.migrated_at === null || run.sources_erased_at !== null) return null
  return <Trans>Kept for retries until a run ends without errors</Trans>
}

function RunLink({ reference }: { reference: string }) {
  return (
    <TextLink
      to="/dashboard/account/migrations/$migration_reference"
      params={{ migration_reference: reference }}
      search={{}}
    >
      {reference}
    </TextLink>
  )
}

/** Rows read, created and changed. */
function Counts({ run }: { run: MigrationRun }) {
  const { t } = useLingui()
  const rows = [
    { id: 'groups', label: t`Groups`, total: run.total_groups, added: run.new_groups, changed: null },
    {
      id: 'users',
      label: t`Device users`,
      total: run.total_users,
      added: run.new_users,
      changed: run.updated_users,
    },
    {
      id: 'devices',
      label: t`Devices`,
      total: run.total_devices,
      added: run.new_devices,
      changed: run.updated_devices,
    },
    {
      id: 'payloads',
      label: t`Recordings`,
      total: run.total_payloads,
      added: run.new_payloads,
      changed: run.updated_payloads,
    },
  ]
  return (
    <DataTable
      caption={t`Rows and results`}
      rows={rows}
      getKey={({ id }) => id}
      columns={[
        { label: t({ context: 'migration', message: 'What' }), cell: ({ label }) => label },
        { label: t({ context: 'migration', message: 'Rows' }), count: ({ total }) => total },
        { label: t({ context: 'migration', message: 'New' }), count: ({ added }) => added },
        { label: t({ context: 'migration', message: 'Changed' }), count: ({ changed }) => changed },
      ]}
    />
  )
}

type Line = MigrationRun['imported'][number] & { result_class: MigrationResultClass }

/** Result types with sample rows, worst first; counts link to all rows. */
function Results({ run }: { run: MigrationRun }) {
  const { t } = useLingui()
  const of = (result_class: MigrationResultClass, lines: MigrationRun['imported']): Line[] =>
    lines.map((line) => ({ ...line, result_class }))
  const lines = [
    ...of('error', run.import_errors),
    ...of('warning', run.import_warnings),
    ...of('success', run.imported),
  ]
  if (lines.length === 0)
    // A running or failed run may have no results.
    return run.migrated_at === null || run.error_message !== null ? null : (
      <EmptyState
        icon="upload"
        title={t`No rows were read`}
        description={t`The drop folder had no row files.`}
      />
    )
  return (
    <DataTable
      caption={t`Results by type`}
      rows={lines}
      getKey={({ result_type }) => result_type}
      columns={[
        {
          label: t({ context: 'migration', message: 'Class' }),
          cell: ({ result_class }) => <ResultClass value={result_class} />,
        },
        {
          label: t({ context: 'migration', message: 'Result' }),
          cell: ({ result_type }) => <SpecWord value={result_type} words={RESULT_WORDS} />,
        },
        {
          label: t({ context: 'migration', message: 'Rows' }),
          align: 'end',
          cell: (line) => <CountLink reference={run.migration_reference} line={line} />,
        },
        {
          label: t`The first ones`,
          cell: ({ items }) => (
            <Text size="sm" span style={{ overflowWrap: 'anywhere' }}>
              {items.map(visible).join(', ')}
            </Text>
          ),
        },
      ]}
    />
  )
}

function CountLink({ reference, line: { count, result_type } }: { reference: string; line: Line }) {
  const { i18n } = useLingui()
  const word = i18n._(RESULT_WORDS[result_type])
  const number = i18n.number(count)
  return (
    <TextLink
      aria-label={`${number}: ${word}`}
      to="/dashboard/account/migrations/$migration_reference"
      params={{ migration_reference: reference }}
      search={{ tab: 'results', result_types: [result_type] }}
    >
      {number}
    </TextLink>
  )
}
