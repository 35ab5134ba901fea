import type { GpsPoint, Page } from '@custodia/contract'
import { GPS_PAGE_LIMIT } from '@custodia/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { pageOf } from '../../api/all-pages.ts'
import { keyOf } from '../../api/call-keys.ts'
import { gpsApi } from '../../api/gps-api.ts'
import { type Track, tracksOf } from './track.ts'

/** Subject: a device, or a person's devices while assigned to them. */
export type Whose = { device_reference: string } | { device_user_reference: string }

/** Maximum number of drawn positions, newest first. */
export const MOST_POINTS = 200_000

/** Loads positions of a period page by page and builds tracks. */
export function useTrack(whose: Whose, range: { from: string | undefined; to: string | undefined }) {
  const query = useInfiniteQuery({
    queryKey: keyOf('device_reference' in whose ? 'listGpsOfDevice' : 'listGpsOfUser', whose, range, 'track'),
    queryFn: ({ pageParam, signal }) => ask(whose, { ...range, last_key: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page, pages) =>
      pages.length * GPS_PAGE_LIMIT < MOST_POINTS ? page.last_key : undefined,
    staleTime: 60_000,
  })
  const { data, hasNextPage, isFetchingNextPage, error, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && error === null) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage])
  const tracks: Track[] | undefined = useMemo(
    () => data && tracksOf(data.pages.flatMap((page) => page.data)),
    [data],
  )
  const rows = data?.pages.reduce((sum, page) => sum + page.count, 0) ?? 0
  return {
    tracks,
    /** Positions read, unreadable ones included. */
    rows,
    isComplete: data !== undefined && !hasNextPage,
    isCut: data?.pages.at(-1)?.last_key !== undefined && !hasNextPage,
    error,
    refetch: query.refetch,
  }
}

function ask(
  whose: Whose,
  query: { from?: string | undefined; to?: string | undefined; last_key?: string | undefined },
  signal: AbortSignal,
): Promise<Page<GpsPoint>> {
  const asked = { ...query, limit: GPS_PAGE_LIMIT }
  return pageOf(
    'device_reference' in whose
      ? gpsApi.listGpsOfDevice({ params: whose, query: asked }, { signal })
      : gpsApi.listGpsOfUser({ params: whose, query: asked }, { signal }),
  )
}
