import { MIGRATION_ITEM_KINDS, MIGRATION_RESULT_TYPES, type MigrationResult, text } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { faultText } from '../../api/failure-text.ts'
import { migrationsApi } from '../../api/transfers-api.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import type { ListColumn, ListFilter } from '../../components/lists/list-definition.ts'
import { wordFilter } from '../../components/words/spec-word.tsx'
import { visible } from '../../ui/visible.ts'
import { ResultClass } from './migration-badges.tsx'
import { MIGRATION_KIND_WORDS, RESULT_CLASS_WORDS, RESULT_WORDS } from './migration-words.ts'

const column = getColumns<MigrationResult>()

/** Translated problem of a row. */
function Faults({ row: { faults } }: { row: MigrationResult }) {
  const { i18n } = useLingui()
  const text = faults
    .map((each) => [visible(each.path), faultText(each, i18n)].filter((part) => part !== '').join(': '))
    .join('; ')
  return <span title={text}>{text}</span>
}

const COLUMNS: readonly ListColumn<MigrationResult>[] = [
  column.name('item', msg({ context: 'migration', message: 'Row' }), { width: 150, grow: 1 }),
  column.drawn(
    'class',
    msg({ context: 'migration', message: 'Class' }),
    ({ row }) => <ResultClass value={row.result_class} />,
    (row) => row.result_class,
    { width: 120, stacked: 'end' },
  ),
  column.word(
    'result',
    msg({ context: 'migration', message: 'Result' }),
    RESULT_WORDS,
    (row) => row.result_type,
    { width: 220, grow: 2, stacked: 'line' },
  ),
  {
    ...column.drawn(
      'faults',
      msg({ context: 'migration', message: 'Why' }),
      Faults,
      (row) => row.faults.map(({ path, message }) => `${path}: ${message}`).join('; '),
      { width: 180, grow: 2, stacked: 'line' },
    ),
    hasValue: (row) => row.faults.length > 0,
  },
  column.word(
    'kind',
    msg({ context: 'migration', message: 'What' }),
    MIGRATION_KIND_WORDS,
    (row) => row.kind,
    { width: 110 },
  ),
  column.text('filename', msg({ context: 'migration', message: 'File' }), { width: 130, grow: 0.6 }),
  column.count('line', msg({ context: 'migration', message: 'Line' }), (row) => row.line ?? undefined, {
    width: 70,
  }),
  column.reference('payload', msg`Recording`, (row) => row.payload_reference ?? '', {
    width: 110,
    isOptional: true,
  }),
]

const FILTERS = [
  {
    name: 'search',
    kind: 'search',
    label: msg({ context: 'migration', message: 'Row' }),
    placeholder: msg`Part of the row name`,
  },
  wordFilter('result_classes', msg({ context: 'migration', message: 'Class' }), RESULT_CLASS_WORDS),
  wordFilter('result_types', msg({ context: 'migration', message: 'Result' }), RESULT_WORDS, {
    values: MIGRATION_RESULT_TYPES,
  }),
  wordFilter('kinds', msg({ context: 'migration', message: 'What' }), MIGRATION_KIND_WORDS, {
    values: MIGRATION_ITEM_KINDS,
  }),
] as const satisfies readonly ListFilter[]

/** Results per row of a run, as a tab of its page. */
export const getResults = (migration_reference: string) =>
  defineList({
    name: `results of migration ${migration_reference}`,
    kind: 'migration-results',
    call: 'listMigrationResults',
    api: migrationsApi,
    path: { migration_reference },
    to: '/dashboard/account/migrations/$migration_reference',
    params: { migration_reference } as never,
    part: { tab: 'results' },
    key: text(1, 20),
    title: msg`Results`,
    icon: 'upload',
    columns: COLUMNS,
    filters: FILTERS,
    noMatch: msg`No results match`,
    empty: {
      title: msg`No results yet`,
      description: msg`The result of each row appears here.`,
    },
    getKey: (row) => String(row.sequence),
    rowTitle: (row) => row.item,
  })
