import { payloadEndpoints } from '@custodia/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { wireFilters } from '../lists/call-search.ts'
import type { ListSearch } from '../lists/list-search.ts'
import type { ScreenService } from './services.ts'

/** A list of which a page shows the total. */
export interface CountedList {
  service: ScreenService
  search: ListSearch
}

/** The totals of several lists, in their order, asked for in one call: one look at a page is one entry of the audit log. */
export function usePayloadTotals(
  lists: readonly CountedList[],
  isEnabled: boolean,
  refreshMs: number | false = false,
) {
  return useQuery({
    queryKey: keyOf('countPayloads', lists),
    queryFn: ({ signal }) => {
      const filters = lists.map(({ service, search }) => ({
        ...wireFilters(payloadEndpoints.listPayloads.query, search, Date.now()),
        service,
      }))
      return api.countPayloads({ query: { filters } }, { signal })
    },
    enabled: isEnabled,
    refetchInterval: refreshMs,
    meta: { isWatch: true },
  })
}
