import type { PayloadPlace, PayloadSummary } from '@custodia/contract'
import { BATCH_LIMIT } from '@custodia/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { pageOf } from '../../api/all-pages.ts'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { gpsApi } from '../../api/gps-api.ts'
import { useMay } from '../../api/use-profile.ts'
import type { Whose } from './use-track.ts'

/** A recording with its position. */
export interface PlacedRecording extends PayloadSummary {
  place: NonNullable<PayloadPlace['place']>
}

/** Newest recordings with a position in a period, at most 100; empty for users without the right. */
export function useRecordings(
  whose: Whose,
  range: { from: string | undefined; to: string | undefined },
): PlacedRecording[] {
  const may = useMay()
  const isOfDevice = 'device_reference' in whose
  const { data } = useQuery({
    queryKey: keyOf('readPayloadPlaces', whose, range),
    enabled: may('payloads.places:read') && may(isOfDevice ? 'devices.payloads:list' : 'users.payloads:list'),
    queryFn: async ({ signal }) => {
      const query = { ...range, limit: BATCH_LIMIT }
      const { data: rows } = await pageOf(
        isOfDevice
          ? api.listPayloadsOfDevice({ params: whose, query }, { signal })
          : api.listPayloadsOfUser({ params: whose, query }, { signal }),
      )
      if (rows.length === 0) return []
      const payload_references = rows.map((row) => row.payload_reference)
      const places = await gpsApi.readPayloadPlaces({ query: { payload_references } }, { signal })
      return rows.flatMap((row) => {
        const place = places.data.find((each) => each.payload_reference === row.payload_reference)?.place
        return place ? [{ ...row, place }] : []
      })
    },
    staleTime: 60_000,
  })
  return useMemo(() => data ?? [], [data])
}
