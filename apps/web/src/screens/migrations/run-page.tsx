import type { MigrationRun } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, linkOptions, useNavigate } from '@tanstack/react-router'
import { lazy } from 'react'
import { repeatedQuery } from '../../api/call-keys.ts'
import { migrationsApi } from '../../api/transfers-api.ts'
import { listTab, RecordPage, RecordTabs } from '../../components/record-page.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { MigrationState } from './migration-badges.tsx'
import { MigrationSteps, type MigrationStep } from './migration-steps.tsx'
import { RunOverview } from './run-overview.tsx'
import { DryRunButton, ImportButton } from './start-buttons.tsx'

const route = getRouteApi('/dashboard/account/migrations/$migration_reference')
/** Poll interval of a running migration, in milliseconds. */
const LOOK_EVERY = 2000

const SignOff = lazy(() => import('./sign-off.tsx'))
const Results = listTab(async () => (await import('./results-list.tsx')).getResults)

/** `/dashboard/account/migrations/{migration_reference}`: one run; `?tab=results` shows results per row. */
export default function RunPage() {
  const { migration_reference } = route.useParams()
  const { t } = useLingui()
  const query = useQuery({
    ...repeatedQuery(migrationsApi, 'readMigration', { params: { migration_reference } }),
    refetchInterval: ({ state: { data } }) => (data && data.migrated_at === null ? LOOK_EVERY : false),
  })
  return (
    <RecordPage
      query={query}
      title={t`Migration`}
      back={{ to: '/dashboard/account/migrations' }}
      backLabel={t`All migrations`}
    >
      {(run) => <RunTabs run={run} />}
    </RecordPage>
  )
}

function RunTabs({ run }: { run: MigrationRun }) {
  const { tab } = route.useSearch()
  const { migration_reference } = run
  const head = <Head run={run} />
  return (
    <RecordTabs
      label={msg`Migration`}
      at={linkOptions({
        to: '/dashboard/account/migrations/$migration_reference',
        params: { migration_reference },
        search: {},
      })}
      shown={tab}
      head={head}
      overview={
        <>
          {head}
          <MigrationSteps at={getStep(run)} />
          <RunOverview run={run} />
        </>
      }
      tabs={[
        {
          tab: 'results',
          label: msg`Results`,
          action: 'migrations:read',
          page: <Results reference={migration_reference} head={head} />,
        },
        {
          tab: 'sign_off',
          label: msg`Sign-off`,
          action: 'migrations:read',
          page: <SignOff run={run} head={head} />,
        },
      ]}
    />
  )
}

/** The step that a run is in, or that comes after it. */
function getStep({ is_dry_run, migrated_at, migration_state, errors }: MigrationRun): MigrationStep {
  const isWhole = migration_state === 'Migrated' || migration_state === 'PartialFail'
  if (is_dry_run) return isWhole && errors === 0 ? 'import' : 'check'
  return migrated_at !== null && isWhole ? 'accept' : 'import'
}

function Head({ run }: { run: MigrationRun }) {
  const { t } = useLingui()
  const { created_at, is_dry_run, migration_state } = run
  return (
    <PageHeader
      title={is_dry_run ? t`Migration dry run` : t`Migration`}
      aside={
        <Group gap="xs">
          <MigrationState state={migration_state} isDry={is_dry_run} />
          {is_dry_run && (
            <Badge color="gray">
              <Trans>Nothing was imported</Trans>
            </Badge>
          )}
          <Text span c="dimmed" size="sm">
            <Time at={created_at} />
          </Text>
        </Group>
      }
      actions={<Acts run={run} />}
    />
  )
}

function Acts({ run }: { run: MigrationRun }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { errors, error_message, is_dry_run, migrated_at, migration_reference } = run
  if (is_dry_run && migrated_at !== null) {
    const isClean = run.migration_state === 'Migrated' && errors === 0
    return (
      <>
        <DryRunButton isPrimary={!isClean} />
        <ImportButton isPrimary={isClean} />
      </>
    )
  }
  const mayRetry = migrated_at !== null && !is_dry_run && (errors > 0 || error_message !== null)
  if (!mayRetry) return null
  return (
    <ActButton
      action="migrations:run"
      icon="refresh"
      label={t`Retry failed rows`}
      question={t`Retry failed rows?`}
      done={t`Import started`}
      onAct={async () => {
        const next = await migrationsApi.retryMigration({ params: { migration_reference }, query: {} })
        await navigate({
          to: '/dashboard/account/migrations/$migration_reference',
          params: { migration_reference: next.migration_reference },
        })
      }}
    >
      <Text size="sm">
        <Trans>Failed rows are read again from the current files. Imported rows are not repeated.</Trans>
      </Text>
    </ActButton>
  )
}
