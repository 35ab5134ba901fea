import { ALERT_STATES, ALERT_TYPES, type Api, type CallInput, type ClientAlert } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { linkOptions } from '@tanstack/react-router'
import { lazy } from 'react'
import { internalApi } from '../../api/internal-api.ts'
import {
  ALERT_SEVERITY_WORDS,
  ALERT_STATE_WORDS,
  ALERT_TYPE_WORDS,
} from '../../components/words/alert-words.ts'
import { wordOptions } from '../../components/words/spec-word.tsx'
import { GRAVEST_FIRST } from '../../components/alerts/severity.ts'
import { toDateParameters } from '../../components/lists/date-range.ts'
import type { ListDefinition } from '../../components/lists/list-definition.ts'
import { listPages } from '../../components/lists/list-pages.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { useClientOptions } from '../../components/clients/use-client-options.ts'
import { alertKey } from './alert-key.ts'
import { BulkAlertActions } from './bulk-alert-actions.tsx'
import { clientAlertColumns } from './client-alert-columns.tsx'
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

const useSeverities = wordOptions(ALERT_SEVERITY_WORDS, GRAVEST_FIRST)
const useStates = wordOptions(ALERT_STATE_WORDS, ALERT_STATES)
const useTypes = wordOptions(ALERT_TYPE_WORDS, ALERT_TYPES)

/** Operational alerts of all clients. */
export const clientAlerts: ListDefinition<ClientAlert, Filters> = {
  name: 'client-alerts',
  call: 'listAlertsOfClients',
  title: msg`Alerts`,
  permission: 'internal.alerts:list',
  icon: 'bell',
  columns: clientAlertColumns,
  filters: [
    { kind: 'search', name: 'search', label: msg`Text`, placeholder: msg`Subject or message` },
    { kind: 'choice', name: 'clients', label: msg`Client`, useOptions: useClientOptions },
    { kind: 'choice', name: 'severities', label: msg`Severity`, useOptions: useSeverities },
    { kind: 'choice', name: 'states', label: msg`State`, useOptions: useStates },
    { kind: 'choice', name: 'types', label: msg`Type`, useOptions: useTypes },
    { kind: 'flag', name: 'dismissed', label: msg`Dismissed by me` },
  ],
  dates: [
    { value: 'last_occurrence', label: msg`Last occurrence` },
    { value: 'first_occurrence', label: msg`First occurrence` },
  ],
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
