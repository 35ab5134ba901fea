import { type Payload, PAYLOAD_META, payloadEndpoints, type PayloadMeta } from '@custodia/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { wireFilters } from '../../components/lists/call-search.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import type { ScreenService } from './services.ts'
import type { I18n } from '@lingui/core'

/** A list whose total a page shows. */
export interface CountedList {
  service: ScreenService
  search: ListSearch
}

/** Totals of several lists in one call: one page view is one audit entry. */
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

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Bytes in the reader's notation, in steps of 1000: `1.4 MB`. */
export function formatSize(bytes: number, i18n: Pick<I18n, 'number'>): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return i18n.number(bytes / 1000 ** step, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  })
}

/** Decrypted metadata of the given type; undefined while sealed, or when a migrated payload has another shape. */
export function metaOf(payload: Pick<Payload, 'payload_type' | 'meta'>): PayloadMeta | undefined {
  return PAYLOAD_META[payload.payload_type].safeParse(payload.meta).data
}
