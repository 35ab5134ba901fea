import { alertEndpoints, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { lazy, Suspense } from 'react'
import { api } from '../../api/api.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { eitherOptions } from '../../components/words/spec-word.tsx'
import { alertColumns } from './alert-columns.ts'
import { alertAddress, alertSearch, OPEN_ALERTS } from './alert-search.ts'
import { ALERT_DATES, alertFilter } from './alert-filters.ts'

const MailsLink = lazy(() => import('./mails-link.tsx'))
const Buttons = lazy(() => import('./alert-buttons.tsx'))

const list = defineList({
  name: 'alerts',
  call: 'listAlerts',
  row: alertEndpoints.listAlerts,
  ask: api.listAlerts,
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
    {
      kind: 'choice',
      name: 'is_dismissed',
      label: msg`Dismissed by me`,
      useOptions: eitherOptions({ false: msg`Not dismissed`, true: msg`Dismissed` }),
      isSingle: true,
    },
  ],
  dates: ALERT_DATES,
  views: [
    {
      name: OPEN_ALERTS.view,
      label: msg`Open alerts`,
      search: { states: OPEN_ALERTS.states, is_dismissed: OPEN_ALERTS.is_dismissed },
    },
    {
      name: 'security',
      label: msg`Security`,
      search: { states: ['Triggered'], scopes: ['sec'] },
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
  keyOf: ({ alert_reference }) => alert_reference,
  csvAlways: [{ label: msg`Reference`, value: ({ alert_reference }) => alert_reference }],
  primaryAction: (
    <Suspense>
      <MailsLink />
    </Suspense>
  ),
  Preview: lazy(() => import('./alert-preview.tsx')),
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
