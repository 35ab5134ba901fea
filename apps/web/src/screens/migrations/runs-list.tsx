import { type MigrationRun, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { linkOptions } from '@tanstack/react-router'
import { migrationsApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { SpecWord, wordFilter, eitherFilter } from '../../components/words/spec-word.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { authorName } from '../../ui/visible.ts'
import { MigrationState } from './migration-badges.tsx'
import { MIGRATION_STATE_WORDS } from './migration-words.ts'
import { DryRunButton, ImportButton } from './start-buttons.tsx'

const column = getColumns<MigrationRun>()

/** Whether a run imported data. */
const DRY_WORDS = {
  true: msg`Dry run`,
  false: msg({ context: 'kind of migration', message: 'Import' }),
} as const

/** Leads to the first step; who may not see the drop folder starts runs here. */
function NewMigration() {
  const { t } = useLingui()
  const may = useMay()
  if (may('migrations.files:list') && may('migrations:create'))
    return (
      <PageAct
        icon="upload"
        label={t`New migration`}
        variant="filled"
        to={linkOptions({ to: '/dashboard/account/migrations', search: { tab: 'files' } })}
      />
    )
  return (
    <>
      <DryRunButton isPrimary />
      <ImportButton />
    </>
  )
}

const runs = defineList({
  name: 'migrations',
  call: 'listMigrations',
  api: migrationsApi,
  to: '/dashboard/account/migrations',
  key: Ulid,
  title: msg`Migrations`,
  icon: 'upload',
  columns: [
    column.moment('created_at', msg({ context: 'migration', message: 'Started' }), { stacked: 'lead' }),
    column.drawn(
      'is_dry_run',
      msg({ context: 'migration', message: 'Kind' }),
      ({ row }) => <SpecWord value={row.is_dry_run ? 'true' : 'false'} words={DRY_WORDS} />,
      { width: 96, stacked: 'line' },
    ),
    column.drawn(
      'state',
      msg`State`,
      ({ row }) => <MigrationState state={row.migration_state} isDry={row.is_dry_run} />,
      (row) => row.migration_state,
      { width: 172, stacked: 'end' },
    ),
    column.count('errors', msg({ context: 'migration', message: 'Errors' }), { width: 76 }),
    column.count('warnings', msg({ context: 'migration', message: 'Warnings' }), { width: 84 }),
    column.count('successes', msg({ context: 'migration', message: 'Successes' }), { width: 92 }),
    column.text('filename', msg({ context: 'migration', message: 'Files' }), {
      width: 128,
      grow: 2,
      stacked: 'line',
    }),
    column.moment('migrated_at', msg({ context: 'migration', message: 'Ended' }), { none: msg`Not yet` }),
    column.text('created_by', msg`By`, (row) => authorName(row, 'created_by'), {
      width: 120,
      grow: 0.6,
      isOptional: true,
    }),
    column.moment('signed_off_at', msg({ context: 'migration', message: 'Accepted' })),
    column.reference('reference', msg`Reference`, (row) => row.migration_reference, {
      width: 104,
      isOptional: true,
    }),
  ],
  filters: [
    wordFilter('migration_states', msg`State`, MIGRATION_STATE_WORDS),
    eitherFilter('is_dry_run', msg({ context: 'migration', message: 'Kind' }), DRY_WORDS),
  ],
  dates: [{ value: 'created_at', label: msg({ context: 'migration', message: 'Started' }) }],
  noMatch: msg`No migrations match`,
  empty: {
    title: msg`No migrations yet`,
    description: msg`Legacy files in the drop folder are tested in a dry run, then imported. Each run and its results appear here.`,
  },
  getKey: (row) => row.migration_reference,
  rowTitle: (row) => row.filename,
  detail: ({ migration_reference }) =>
    linkOptions({
      to: '/dashboard/account/migrations/$migration_reference',
      params: { migration_reference },
    }),
  primaryAction: <NewMigration />,
  newsEveryMs: 10_000,
})

/** Migration runs, newest first. */
export const RunsList = () => <ListPage list={runs} />
