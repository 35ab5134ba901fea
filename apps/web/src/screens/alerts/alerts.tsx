import { ALERT_SCOPES, ALERT_STATES, ALERT_TYPES, type AlertSummary } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { getRouteApi, linkOptions } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { api } from '../../api/api.ts'
import {
  ALERT_SCOPE_WORDS,
  ALERT_SEVERITY_WORDS,
  ALERT_STATE_WORDS,
  ALERT_TYPE_WORDS,
} from '../../components/words/alert-words.ts'
import { wordOptions, type Words } from '../../components/words/spec-word.tsx'
import type { FilterOption, ListDefinition, ListFilter } from '../../components/lists/list-definition.ts'
import { ListPage } from '../../components/lists/list-page.tsx'
import { listPages } from '../../components/lists/list-pages.ts'
import { alertColumns } from './alert-columns.ts'
import { alertAddress, type AlertFilters, alertFilters, alertSearch, OPEN_ALERTS } from './alert-search.ts'
import { GRAVEST_FIRST } from '../../components/alerts/severity.ts'

const Preview = lazy(() => import('./alert-preview.tsx'))
const Buttons = lazy(() => import('./alert-buttons.tsx'))

function choice<Value extends string>(
  name: string,
  label: ListFilter['label'],
  words: Words<Value>,
  values: readonly Value[],
): ListFilter {
  return { kind: 'choice', name, label, useOptions: wordOptions(words, values) }
}

const DISMISSED = { no: msg`Not dismissed`, yes: msg`Dismissed` }
function useDismissed(): readonly FilterOption[] {
  const { i18n } = useLingui()
  return Object.entries(DISMISSED).map(([value, word]) => ({ value, label: i18n._(word) }))
}

const alerts: ListDefinition<AlertSummary, AlertFilters> = {
  name: 'alerts',
  call: 'listAlerts',
  title: msg`Alerts`,
  permission: 'alerts:list',
  icon: 'bell',
  columns: alertColumns,
  filters: [
    { kind: 'search', name: 'search', label: msg`Search`, placeholder: msg`Subject, message or key` },
    choice('severities', msg`Severity`, ALERT_SEVERITY_WORDS, GRAVEST_FIRST),
    choice('states', msg`State`, ALERT_STATE_WORDS, ALERT_STATES),
    choice('scopes', msg`Scope`, ALERT_SCOPE_WORDS, ALERT_SCOPES),
    choice('types', msg`Type`, ALERT_TYPE_WORDS, ALERT_TYPES),
    {
      kind: 'choice',
      name: 'dismissed',
      label: msg`Dismissed by me`,
      useOptions: useDismissed,
      isSingle: true,
    },
  ],
  dates: [
    { value: 'last_occurrence', label: msg`Last occurrence` },
    { value: 'first_occurrence', label: msg`First occurrence` },
  ],
  views: [
    {
      name: OPEN_ALERTS.view,
      label: msg`Open alerts`,
      search: { states: OPEN_ALERTS.states, dismissed: OPEN_ALERTS.dismissed },
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
    description: msg`What needs attention appears here: failed recordings, silent phones, use of powerful roles, licences that run out.`,
  },
  keyOf: ({ alert_reference }) => alert_reference,
  queryOf: alertFilters,
  ...listPages((query, signal) => api.listAlerts({ query }, { signal })),
  address: (search) => linkOptions({ to: '/dashboard/account/alerts', search: alertAddress(search) }),
  csvAlways: [{ label: msg`Reference`, value: ({ alert_reference }) => alert_reference }],
  Preview,
  BulkActions: (props) => (
    <Suspense>
      <Buttons {...props} />
    </Suspense>
  ),
}

const route = getRouteApi('/dashboard/account/alerts')

/** `/dashboard/account/alerts`: begins with those that are triggered and not dismissed. */
export function Alerts() {
  return <ListPage list={alerts} search={alertSearch(route.useSearch())} />
}
