import { payloadEndpoints, threadEndpoints } from '@custodia/contract'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { getKey, repeatedRead } from '../../api/call-keys.ts'
import { wireFilters } from '../../components/lists/call-search.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import type { ScreenService } from './services.ts'

/** A list whose total a page shows. */
export interface CountedList {
  service: ScreenService
  search: ListSearch
}

/** Totals of several lists in one call: one page view is one audit entry. */
export const totalsQuery = (lists: readonly CountedList[]) =>
  queryOptions({
    queryKey: getKey('countPayloads', lists),
    queryFn: (context) => {
      const filters = lists.map(({ service, search }) => ({
        ...wireFilters(payloadEndpoints.listPayloads.query, search, Date.now()),
        service,
      }))
      return api.countPayloads({ query: { filters } }, repeatedRead(context))
    },
    meta: { isWatch: true },
  })

export const usePayloadTotals = (lists: readonly CountedList[], isEnabled: boolean) =>
  useQuery({ ...totalsQuery(lists), enabled: isEnabled })

/** The number of conversations in a list. */
export function useConversationTotal(search: ListSearch, isEnabled: boolean) {
  return useQuery({
    queryKey: getKey('countPayloads', 'conversations', search),
    queryFn: (context) => {
      const query = wireFilters(threadEndpoints.listConversations.query, search, Date.now())
      return api.listConversations({ query: { ...query, type: 'total' } }, repeatedRead(context))
    },
    enabled: isEnabled,
    meta: { isWatch: true },
  })
}
