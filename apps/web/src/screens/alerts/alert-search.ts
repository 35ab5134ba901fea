import {
  ALERT_DATE_FILTERS,
  AlertScope,
  AlertSeverity,
  AlertState,
  AlertType,
  type Api,
  type CallInput,
  text,
  Ulid,
} from '@custodia/contract'
import * as z from 'zod/mini'
import { toDateParameters } from '../../components/lists/date-range.ts'
import { DateText, freeText, type ListSearch, one, several } from '../../components/lists/list-search.ts'

/** `/dashboard/account/alerts?states=Triggered&dismissed=no&severities=High` */
export const AlertsSearch = z.object({
  search: freeText(text(1, 255)),
  date: one(z.enum(ALERT_DATE_FILTERS)),
  from: one(DateText),
  to: one(DateText),
  severities: several(AlertSeverity),
  states: several(AlertState),
  scopes: several(AlertScope),
  types: several(AlertType),
  dismissed: one(z.enum(['no', 'yes'])),
  view: one(text(1, 60)),
  preview: one(Ulid),
})
export type AlertsSearch = z.output<typeof AlertsSearch>

/** What waits for somebody: the view with which the page begins. */
export const OPEN_ALERTS = {
  view: 'open',
  states: ['Triggered'],
  dismissed: 'no',
} as const satisfies ListSearch

/** Stands in the address for the view without filters, which else would be the beginning again. */
export const ALL_ALERTS = 'all'

export type AlertFilters = Omit<
  CallInput<Api['listAlerts']>['query'],
  'client' | 'limit' | 'last_key' | 'type'
>

/**
 * Filters of `listAlerts`.
 *
 * @param now epoch milliseconds, for relative dates
 */
export function alertFilters(search: ListSearch, now: number): AlertFilters {
  const { severities, states, scopes, types, dismissed, date, from, to, ...own } = search as AlertsSearch
  return {
    search: own.search,
    severities,
    states,
    scopes,
    alert_types: types,
    is_dismissed: dismissed === undefined ? undefined : dismissed === 'yes',
    date_filter: date,
    ...toDateParameters({ from, to }, now),
  }
}

/** The address of a search: without any filter it says so, as the bare address means the open alerts. */
export function alertAddress(search: ListSearch): AlertsSearch {
  const parsed = AlertsSearch.parse(search)
  const { preview: _, ...rest } = parsed
  return Object.values(rest).some((value) => value !== undefined) ? parsed : { ...parsed, view: ALL_ALERTS }
}

/** The search of an address; the view without filters has no name. */
export function alertSearch(raw: object): AlertsSearch {
  const search = AlertsSearch.parse(raw)
  return search.view === ALL_ALERTS ? { ...search, view: undefined } : search
}
