import { type TransferRun, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { getRouteApi, linkOptions } from '@tanstack/react-router'
import { transfersApi } from '../../api/transfers-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { TRANSFER_STATE_WORDS, TRANSFER_TYPE_WORDS } from '../../components/transfers/transfer-words.ts'
import { wordFilter } from '../../components/words/spec-word.tsx'
import { PageTabs } from '../../ui/page-header.tsx'
import { authorName } from '../../ui/visible.ts'
import { ConfigsList, CreateConfig } from './configs-list.tsx'
import { ReconciliationsList } from './reconciliations-list.tsx'
import { TransferState } from './transfer-state.tsx'

const route = getRouteApi('/dashboard/account/transfers')
const to = '/dashboard/account/transfers' as const

/** `/dashboard/account/transfers`: runs; `?tab=configs` shows configs, `?tab=days` reconciliations. */
export default function Transfers() {
  const { tab } = route.useSearch()
  const may = useMay()
  const isConfigs = may('transfer_configs:list') && tab === 'configs'
  const isDays = may('transfer_reconciliations:list') && tab === 'days'
  const tabs = [
    {
      to,
      search: {},
      label: msg({ context: 'transfer', message: 'Runs' }),
      isShown: !isConfigs && !isDays,
      action: 'transfers:list',
    },
    {
      to,
      search: { tab: 'days' as const },
      label: msg`Reconciliation`,
      isShown: isDays,
      action: 'transfer_reconciliations:list',
    },
    {
      to,
      search: { tab: 'configs' as const },
      label: msg`Configurations`,
      isShown: isConfigs,
      action: 'transfer_configs:list',
    },
  ].filter(({ action }) => may(action))
  return (
    <PageTabs label={msg`Transfers`} tabs={tabs.length > 1 ? tabs : []}>
      {isConfigs ? <ConfigsList /> : isDays ? <ReconciliationsList /> : <RunsList />}
    </PageTabs>
  )
}

const column = getColumns<TransferRun>()

const runs = defineList({
  name: 'transfers',
  call: 'listTransfers',
  api: transfersApi,
  to: '/dashboard/account/transfers',
  key: Ulid,
  title: msg`Transfers`,
  icon: 'external',
  columns: [
    column.name('config', msg`Configuration`, (row) => row.transfer_config_reference, {
      width: 170,
      grow: 2,
    }),
    column.drawn(
      'state',
      msg`State`,
      ({ row }) => <TransferState state={row.transfer_state} />,
      (row) => row.transfer_state,
      { width: 150, stacked: 'end' },
    ),
    column.word(
      'type',
      msg({ context: 'transfer', message: 'What' }),
      TRANSFER_TYPE_WORDS,
      (row) => row.transfer_type,
      { width: 120, stacked: 'line' },
    ),
    column.count('payloads', msg({ context: 'transfer', message: 'Items' }), (row) => row.payload_count, {
      width: 90,
    }),
    column.count('failed', msg({ context: 'transfer', message: 'Failed' }), (row) => row.failed_count, {
      width: 100,
    }),
    column.moment('created_at', msg({ context: 'transfer', message: 'Started' }), { stacked: 'line' }),
    column.moment('completed_at', msg({ context: 'transfer', message: 'Ended' })),
    column.moment('report_to', msg`Processed before`, { isOptional: true }),
    column.text('updated_by', msg`By`, (row) => authorName(row, 'updated_by'), { width: 140 }),
  ],
  filters: [
    {
      name: 'transfer_config_reference',
      kind: 'text',
      label: msg`Configuration`,
      placeholder: msg`Full name`,
    },
    wordFilter('transfer_states', msg`State`, TRANSFER_STATE_WORDS),
    wordFilter('transfer_types', msg({ context: 'transfer', message: 'What' }), TRANSFER_TYPE_WORDS),
  ],
  dates: [{ value: 'created_at', label: msg({ context: 'transfer', message: 'Started' }) }],
  noMatch: msg`No transfers match`,
  empty: {
    title: msg`No transfers yet`,
    description: msg`A configuration defines what is delivered to your own storage, where, how and when.`,
  },
  primaryAction: <CreateConfig />,
  getKey: (row) => row.transfer_id,
  rowTitle: (row) => row.transfer_config_reference,
  detail: ({ transfer_id }) =>
    linkOptions({ to: '/dashboard/account/transfers/$transfer_id', params: { transfer_id } }),
})

/** Transfer runs, newest first. */
const RunsList = () => <ListPage list={runs} />
