import { type Alert, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { lazy, Suspense } from 'react'
import { api } from '../../api/api.ts'
import { useProfile } from '../../api/use-profile.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import type { ListColumn } from '../../components/lists/list-definition.ts'
import { ListPage } from '../../components/lists/list-page.tsx'
import { flag } from '../../components/lists/list-search.ts'
import { eitherFilter } from '../../components/words/spec-word.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { alertAddress, alertSearch, OPEN_ALERTS } from './alert-addresses.ts'
import {
  ALERT_DATES,
  alertFilter,
  DismissedCell,
  rowTexts,
  ScopeCell,
  SeverityCell,
  StateCell,
  TypeCell,
  useIncidentKinds,
} from './alert-cells.tsx'

const column = getColumns<Alert>()

const alertColumns: readonly ListColumn<Alert>[] = [
  column.name('subject', msg`Subject`, (row) => rowTexts(row).subject, { width: 204, grow: 3 }),
  column.drawn(
    'severity',
    msg`Severity`,
    SeverityCell,
    (row) => row.incident?.alert_severity ?? row.alert_severity,
    {
      width: 100,
      stacked: 'line',
    },
  ),
  column.drawn('state', msg`State`, StateCell, (row) => row.alert_state, {
    width: 116,
    stacked: 'line',
    // The column is for exceptions: most lists have open alerts only.
    hasValue: (row) => row.alert_state !== 'Triggered',
  }),
  column.text('message', msg`Message`, (row) => rowTexts(row).message, { width: 372, grow: 4 }),
  column.drawn('type', msg`Type`, TypeCell, (row) => row.alert_type, { width: 132, isOptional: true }),
  column.drawn('scope', msg`Scope`, ScopeCell, (row) => row.alert_scope, {
    width: 108,
    isOptional: true,
  }),
  column.count('count', msg`Occurrences`, (row) => row.incident?.occurrence_count ?? row.occurrence_count, {
    width: 100,
  }),
  column.count('alerts', msg`Alerts`, (row) => row.incident?.alert_count, { width: 90, isOptional: true }),
  // The subject has the first line to itself.
  column.moment('last', msg`Last occurrence`, (row) => row.last_occurrence, { stacked: 'line' }),
  column.moment('first', msg`First occurrence`, (row) => row.first_occurrence, { isOptional: true }),
  column.drawn('dismissed', msg`Dismissed`, DismissedCell, (row) => row.is_dismissed, {
    width: 118,
    isOptional: true,
    stacked: 'line',
  }),
  column.mono('key', msg`Key`, (row) => row.alert_key, { width: 150, grow: 1, isOptional: true }),
  column.reference('reference', msg`Reference`, (row) => row.alert_reference, {
    width: 104,
    isOptional: true,
    csv: [],
  }),
]

const Buttons = lazy(() => import('./alert-actions.tsx'))

const list = defineList({
  name: 'alerts',
  isTall: true,
  call: 'listAlerts',
  api,
  to: '/dashboard/account/alerts',
  key: Ulid,
  title: msg`Alerts`,
  icon: 'bell',
  columns: alertColumns,
  filters: [
    { kind: 'search', name: 'search', label: msg`Search`, placeholder: msg`Subject, message or key` },
    alertFilter.severities,
    alertFilter.states,
    alertFilter.scopes,
    alertFilter.alert_types,
    { kind: 'choice', name: 'incident_kinds', label: msg`Subject`, useOptions: useIncidentKinds },
    eitherFilter('is_dismissed', msg`Dismissed by me`, { false: msg`Not dismissed`, true: msg`Dismissed` }),
  ],
  own: { is_folded: flag },
  dates: ALERT_DATES,
  views: [
    {
      name: OPEN_ALERTS.view,
      label: msg`Open alerts`,
      search: {
        states: OPEN_ALERTS.states,
        is_dismissed: OPEN_ALERTS.is_dismissed,
        is_folded: OPEN_ALERTS.is_folded,
      },
    },
    {
      name: 'security',
      label: msg`Security`,
      search: { states: ['Triggered'], scopes: ['sec'], is_folded: true },
    },
    {
      name: 'cleared',
      label: msg({ context: 'alerts', message: 'Cleared' }),
      search: { states: ['Cleared'] },
    },
  ],
  noMatch: msg`No alerts match`,
  empty: {
    title: msg`No alerts yet`,
    description: msg`Failed recordings, silent phones, use of powerful roles and expiring licences appear here.`,
  },
  getKey: ({ alert_reference }) => alert_reference,
  csvAlways: [{ label: msg`Reference`, value: ({ alert_reference }) => alert_reference }],
  primaryAction: <MailsLink />,
  rowTitle: (_row, i18n) => i18n._(msg`Alert`),
  Preview: lazy(() => import('./alert-preview.tsx')),
  actsOnMatching: 'first',
  BulkActions: (props) => (
    <Suspense>
      <Buttons {...props} />
    </Suspense>
  ),
})

const alerts: typeof list = {
  ...list,
  parse: (raw) => alertSearch(list.parse(raw)),
  address: (search) => list.address(alertAddress(list.parse(search))),
}

/** `/dashboard/account/alerts`: by default triggered, undismissed alerts. */
export const Alerts = () => <ListPage list={alerts} />

/** Link to the user's alert e-mails; hidden in support mode. */
function MailsLink() {
  const { support } = useProfile()
  if (support !== null) return null
  return (
    <LinkButton
      variant="default"
      leftSection={<Icon name="bell" size={16} />}
      to="/dashboard/account/alert-mails"
    >
      <Trans>Email alerts</Trans>
    </LinkButton>
  )
}
