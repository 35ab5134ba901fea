import { type ReconciliationSummary, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { lazy } from 'react'
import { transfersApi } from '../../api/transfers-api.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { Icon } from '../../ui/icon.tsx'

const column = getColumns<ReconciliationSummary>()

const reconciliations = defineList({
  name: 'transfer-reconciliations',
  call: 'listTransferReconciliations',
  api: transfersApi,
  to: '/dashboard/account/transfers',
  part: { tab: 'days' },
  key: Ulid,
  title: msg`Transfers`,
  icon: 'external',
  columns: [
    column.name('payload_date', msg`Day (UTC)`, { width: 120 }),
    column.text('config', msg`Configuration`, (row) => row.transfer_config_reference, {
      width: 170,
      grow: 2,
      stacked: 'line',
    }),
    column.count('captured', msg({ context: 'transfer', message: 'Captured' }), { width: 110 }),
    column.count('delivered', msg({ context: 'transfer', message: 'Delivered' }), { width: 110 }),
    column.count('missing', msg({ context: 'transfer', message: 'Missing' }), { width: 110 }),
    column.drawn(
      'sent',
      msg({ context: 'transfer', message: 'Statement' }),
      ({ row }) => <SentState row={row} />,
      (row) => (row.sent_at === null ? 'not sent' : 'sent'),
      { width: 140, stacked: 'end' },
    ),
    column.moment('sent_at', msg({ context: 'transfer', message: 'Sent' })),
    column.count('version', msg({ context: 'transfer', message: 'Version' }), { width: 100 }),
  ],
  dates: [{ value: 'payload_date', label: msg`Day (UTC)` }],
  filters: [
    {
      name: 'transfer_config_reference',
      kind: 'text',
      label: msg`Configuration`,
      placeholder: msg`Full name`,
    },
  ],
  noMatch: msg`No days match`,
  empty: {
    title: msg`No reconciled days yet`,
    description: msg`Each active configuration sends its target a signed daily count of captured, delivered and missing recordings.`,
  },
  isUnchanged: true,
  getKey: (row) => row.reconciliation_reference,
  rowTitle: (row) => `${row.payload_date} · ${row.transfer_config_reference}`,
  Preview: lazy(() => import('./reconciliation-preview.tsx')),
})

/** Captured, delivered and missing recordings per day, newest first. */
export const ReconciliationsList = () => <ListPage list={reconciliations} />

/** Whether a reconciliation file is on its target. */
function SentState({ row: { sent_at, error_message } }: { row: ReconciliationSummary }) {
  const { t } = useLingui()
  if (sent_at !== null)
    return (
      <Badge color="teal" leftSection={<Icon name="check" size={13} />}>
        {t({ context: 'statement', message: 'Sent' })}
      </Badge>
    )
  return error_message === null ? (
    <Badge color="gray" leftSection={<Icon name="clock" size={13} />}>
      {t({ context: 'statement', message: 'Not sent yet' })}
    </Badge>
  ) : (
    <Badge color="red" leftSection={<Icon name="alert-circle" size={13} />}>
      {t({ context: 'statement', message: 'Not sent' })}
    </Badge>
  )
}
