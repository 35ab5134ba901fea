import { type Alert, text } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { lazy } from 'react'
import { internalApi } from '../../api/internal-api.ts'
import { ClientCell, useClientOptions } from '../../components/clients/clients.tsx'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import { ListPage } from '../../components/lists/list-page.tsx'
import { ALERT_SEVERITY_WORDS } from '../../components/words/alert-words.ts'
import { alertKey } from './alert-addresses.ts'
import { ALERT_DATES, alertFilter, alertTexts, SeverityCell, StateCell, TypeCell } from './alert-cells.tsx'
import { BulkAlertActions } from './bulk-alert-actions.tsx'

const column = getColumns<Alert>()

const clientAlertColumns: readonly ListColumn<Alert>[] = [
  column.drawn('severity', msg`Severity`, SeverityCell, (row) => row.alert_severity, {
    width: 104,
    stacked: 'end',
  }),
  column.moment('last', msg`Last occurrence`, (row) => row.last_occurrence, { stacked: 'line' }),
  column.drawn('client', msg`Client`, ClientCell, { width: 130, stacked: 'line' }),
  column.name('subject', msg`Subject`, (row) => alertTexts(row).subject, { width: 220, grow: 2 }),
  column.text('message', msg`Message`, (row) => alertTexts(row).message, { width: 200, grow: 2 }),
  column.drawn('state', msg`State`, StateCell, (row) => row.alert_state, { width: 116, stacked: 'line' }),
  column.count('count', msg`Occurrences`, (row) => row.occurrence_count, { width: 104 }),
  column.drawn('type', msg`Type`, TypeCell, (row) => row.alert_type, { width: 140, isOptional: true }),
  column.moment('first', msg`First occurrence`, (row) => row.first_occurrence, { isOptional: true }),
]

const clientAlerts = defineList({
  name: 'client-alerts',
  call: 'listAlertsOfClients',
  api: internalApi,
  to: '/internal/alerts',
  key: text(28, 120),
  title: msg`Alerts`,
  icon: 'bell',
  columns: clientAlertColumns,
  filters: [
    { kind: 'search', name: 'search', label: msg`Text`, placeholder: msg`Subject or message` },
    { kind: 'choice', name: 'clients', label: msg`Client`, useOptions: useClientOptions },
    alertFilter.severities,
    alertFilter.states,
    alertFilter.alert_types,
    { kind: 'flag', name: 'is_dismissed', label: msg`Dismissed by me` },
  ],
  dates: ALERT_DATES,
  views: [
    {
      name: 'triggered',
      label: msg({ context: 'alerts', message: 'Triggered' }),
      search: { states: ['Triggered'] },
    },
    {
      name: 'high',
      label: ALERT_SEVERITY_WORDS.High,
      search: { states: ['Triggered'], severities: ['High'] },
    },
    { name: 'day', label: msg`Last 24 hours`, search: { from: '-24h' } },
  ],
  noMatch: msg`No alerts match`,
  empty: {
    title: msg`No alerts`,
    description: msg`Operational alerts of all clients appear here.`,
  },
  getKey: alertKey,
  csvAlways: [{ label: msg`Reference`, value: ({ alert_reference }) => alert_reference }],
  rowTitle: (_row, i18n) => i18n._(msg`Alert`),
  Preview: lazy(() => import('./client-alert-preview.tsx')),
  BulkActions: BulkAlertActions,
  records: {
    Drawer: lazy(() => import('./notify-drawer.tsx')),
    create: { label: msg`Notify clients`, action: 'internal.alerts:notify', icon: 'message' },
    isOnlyCreated: true,
  },
})

/** `/internal/alerts?severities=High&clients=acme`: operational alerts of all clients, and notices to them. */
export const ClientAlerts = () => <ListPage list={clientAlerts} />
