import { payloadEndpoints } from '@custodia/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { wireFilters } from '../../components/lists/call-search.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import type { ScreenService } from '../../components/payloads/services.ts'

/** A list of which the worklist shows the total. */
export interface CountedList {
  service: ScreenService
  search: ListSearch
}

/** The totals of several lists, in their order, asked for in one call: one look at the dashboard is one entry of the audit log. */
export function usePayloadTotals(lists: readonly CountedList[], isEnabled: boolean) {
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
    meta: { isWatch: true },
  })
}
