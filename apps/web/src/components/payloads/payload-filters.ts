import type { CallInput, Api, Service } from '@custodia/contract'
import { toDateParameters } from '../lists/date-range.ts'
import type { ListSearch } from '../lists/list-search.ts'
import type { PayloadSearch } from './payload-search.ts'

/** Filters of a payload list as the wire wants them. */
export type PayloadFilters = Omit<
  CallInput<Api['listPayloads']>['query'],
  'client' | 'limit' | 'last_key' | 'type'
>

/**
 * Translates the search parameters of a payload list.
 *
 * @param now epoch milliseconds, for relative dates
 */
export function payloadFilters(service: Service, search: ListSearch, now: number): PayloadFilters {
  const { number, types, groups, states, user, device, late, date, from, to } = search as PayloadSearch
  return {
    service,
    payload_types: types,
    groups,
    states,
    number,
    device_user_reference: user,
    device_reference: device,
    is_late: late,
    date_filter: date,
    ...toDateParameters({ from, to }, now),
  }
}
