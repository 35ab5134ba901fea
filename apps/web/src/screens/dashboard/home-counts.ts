import {
  type PayloadState,
  type PayloadType,
  type Profile,
  seesService,
  type Total,
} from '@custodia/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { callQuery, getKey } from '../../api/call-keys.ts'
import { alertSummaryQuery, askForDashboard, dashboardQuery, profileQuery } from '../../api/queries.ts'
import { queryClient } from '../../api/query-client.ts'
import { useProfile } from '../../api/use-profile.ts'
import { WEEK } from '../../components/lists/date-range.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { type CountedList, totalsQuery, usePayloadTotals } from '../payloads/payload-totals.ts'
import { type ScreenService, SERVICES } from '../payloads/services.ts'
import { newSince } from './new-since.ts'

const NAMES = Object.keys(SERVICES) as ScreenService[]

/** Services of which the reader may see payloads, in order. */
export const useSeenServices = (): ScreenService[] => getSeen(useProfile())

const getSeen = ({ actions, payload_types }: Profile): ScreenService[] =>
  actions.includes('payloads:list') ? NAMES.filter((service) => seesService(payload_types, service)) : []

/** Requests for support access, the newest first. */
export const supportQuery = queryOptions({
  queryKey: getKey('listSupportAccess', 'newest'),
  queryFn: ({ signal }) => api.listSupportAccess({ query: {} }, { signal }),
  meta: { isWatch: true },
})

/** The permissions that the count of open alerts needs. */
export const ALERT_ACTIONS = ['alerts.summary:read', 'alerts:list']

/** Lists of recordings that the home counts, by service: a list of each kind for each service. */
const KINDS = {
  late: { is_late: true, from: '-30d' },
  unmarked: { mark: 'none', from: '-7d' },
  total: {},
} as const satisfies Record<string, ListSearch>
type Kind = keyof typeof KINDS | 'new'

/** Counts of recordings by kind and service. */
export interface HomeTotals {
  seen: readonly ScreenService[]
  getSearch: (kind: Kind) => ListSearch
  /** Undefined while loading, null after a failure. */
  of: (kind: Kind, service: ScreenService) => Total | undefined | null
}

/**
 * Counts all recordings of the home in one call.
 * @param since first day of what is new to the reader; undefined: not known yet
 */
export function useHomeTotals(since: string | undefined): HomeTotals {
  const seen = useSeenServices()
  const searches = getSearches(since)
  const lists = getLists(seen, searches)
  const { data, error } = usePayloadTotals(lists.map(getCounted), lists.length > 0 && since !== undefined)
  return {
    seen,
    getSearch: (kind) => searches[kind],
    of: (kind, service) =>
      data
        ? data.totals[lists.findIndex((list) => list.kind === kind && list.service === service)]
        : error === null
          ? undefined
          : null,
  }
}

const getSearches = (since = WEEK): Record<Kind, ListSearch> => ({
  ...KINDS,
  new: { date_filter: 'processed_at', from: since },
})

const getLists = (seen: readonly ScreenService[], searches: Record<Kind, ListSearch>) =>
  Object.entries(searches).flatMap(([kind, search]) => seen.map((service) => ({ kind, service, search })))

const getCounted = ({ service, search }: CountedList): CountedList => ({ service, search })

/** Newest calls that the home shows. */
export const NEWEST = 10
export const NEWEST_SEARCH: { payload_types: PayloadType[]; states: PayloadState[] } = {
  payload_types: ['Call'],
  states: ['Processed'],
}
export const newestCallsQuery = {
  ...callQuery(api, 'listPayloads', { query: { ...NEWEST_SEARCH, service: 'calls', limit: NEWEST } }),
  meta: { isWatch: true },
}

/**
 * Requests the counts of the home while its code still draws the first paint, which takes longer than the answers. The
 * page repeats and reports a failed request.
 */
export async function askForHome(): Promise<void> {
  await Promise.all([queryClient.prefetchQuery(profileQuery), askForDashboard()])
  const profile = queryClient.getQueryData(profileQuery.queryKey)
  if (profile === undefined) return
  const may = (action: string) => profile.actions.includes(action)
  const figures = queryClient.getQueryData(dashboardQuery.queryKey)
  const seen = getSeen(profile)
  const silent = { meta: { silent: true } }
  if (figures !== undefined && seen.length > 0) {
    const { from } = newSince(figures.last_visit_at, Date.now())
    const lists = getLists(seen, getSearches(from)).map(getCounted)
    void queryClient.prefetchQuery({ ...totalsQuery(lists), ...silent })
  }
  if (ALERT_ACTIONS.every(may)) void queryClient.prefetchQuery({ ...alertSummaryQuery, ...silent })
  if (may('supportaccess:list')) void queryClient.prefetchQuery({ ...supportQuery, ...silent })
  if (seen.includes('calls')) void queryClient.prefetchQuery({ ...newestCallsQuery, ...silent })
}
