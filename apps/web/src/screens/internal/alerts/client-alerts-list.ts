import {
  ALERT_SEVERITIES,
  ALERT_STATES,
  ALERT_TYPES,
  type Api,
  type CallInput,
  type ClientAlert,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { linkOptions } from '@tanstack/react-router'
import { lazy } from 'react'
import { internalApi } from '../../../api/internal-api.ts'
import { toDateParameters } from '../../lists/date-range.ts'
import type { ListDefinition } from '../../lists/list-definition.ts'
import { listPages } from '../../lists/list-pages.ts'
import type { ListSearch } from '../../lists/list-search.ts'
import { useClientOptions } from '../use-client-options.ts'
import { alertKey } from './alert-key.ts'
import { BulkAlertActions } from './bulk-alert-actions.tsx'
import { clientAlertColumns } from './client-alert-columns.tsx'
import { CLIENT_ALERTS } from './client-alerts-list-name.ts'
import { ClientAlertsSearch } from './client-alerts-search.ts'

type Filters = Omit<CallInput<Api['listAlertsOfClients']>['query'], 'limit' | 'last_key' | 'type'>

/** @param now epoch milliseconds, for relative dates */
function filters(raw: ListSearch, now: number): Filters {
  const { search, date, from, to, clients, severities, states, types, dismissed } = raw as ClientAlertsSearch
  return {
    search,
    clients,
    severities,
    states,
    alert_types: types,
    is_dismissed: dismissed === true ? true : undefined,
    date_filter: date,
    ...toDateParameters({ from, to }, now),
  }
}

/** Spelled as in the specification, in every language. */
const asWritten = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }))
const SEVERITIES = asWritten(ALERT_SEVERITIES.toReversed())
const STATES = asWritten(ALERT_STATES)
const TYPES = asWritten(ALERT_TYPES)

/** Operational alerts of all clients. */
export const clientAlerts: ListDefinition<ClientAlert, Filters> = {
  name: CLIENT_ALERTS,
  title: msg`Alerts`,
  permission: 'internal.alerts:list',
  icon: 'bell',
  columns: clientAlertColumns,
  filters: [
    { kind: 'search', name: 'search', label: msg`Text`, placeholder: msg`Subject or message` },
    { kind: 'choice', name: 'clients', label: msg`Client`, useOptions: useClientOptions },
    { kind: 'choice', name: 'severities', label: msg`Severity`, useOptions: () => SEVERITIES },
    { kind: 'choice', name: 'states', label: msg`State`, useOptions: () => STATES },
    { kind: 'choice', name: 'types', label: msg`Type`, useOptions: () => TYPES },
    { kind: 'flag', name: 'dismissed', label: msg`Dismissed by me` },
  ],
  dates: [
    { value: 'last_occurrence', label: msg`Last occurrence` },
    { value: 'first_occurrence', label: msg`First occurrence` },
  ],
  views: [
    { name: 'triggered', label: msg`Triggered`, search: { states: ['Triggered'] } },
    { name: 'high', label: msg`High`, search: { states: ['Triggered'], severities: ['High'] } },
    { name: 'day', label: msg`Last 24 hours`, search: { from: '-24h' } },
  ],
  noMatch: msg`No alerts match`,
  empty: {
    title: msg`No alerts`,
    description: msg`Operational alerts of all clients appear here as soon as something needs attention.`,
  },
  keyOf: alertKey,
  queryOf: filters,
  ...listPages((query: Filters, signal) => internalApi.listAlertsOfClients({ query }, { signal })),
  address: (search) => linkOptions({ to: '/internal/alerts', search: ClientAlertsSearch.parse(search) }),
  Preview: lazy(() => import('./client-alert-preview.tsx')),
  BulkActions: BulkAlertActions,
  csvAlways: [{ label: msg`Reference`, value: ({ alert_reference }) => alert_reference }],
}
