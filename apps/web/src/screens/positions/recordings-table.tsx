import {
  BATCH_LIMIT,
  GPS_PAGE_LIMIT,
  type GpsPoint,
  type Page,
  type PayloadPlace,
  type PayloadSummary,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { api } from '../../api/api.ts'
import { getKey } from '../../api/call-keys.ts'
import { gpsApi } from '../../api/gps-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { Time } from '../../ui/time.tsx'
import { getDetail, screenService } from '../payloads/services.ts'
import { MorePages, placeWords, usePart } from './more-pages.tsx'
import { type Track, getTracks } from './track.ts'

/** Subject: a device, or a person's devices while assigned to them. */
export type PositionOwner = { device_reference: string } | { device_user_reference: string }

/** Maximum number of drawn positions, newest first. */
export const MAX_POINTS = 200_000

/** Loads positions of a period page by page and builds tracks. */
export function useTrack(whose: PositionOwner, range: { from: string | undefined; to: string | undefined }) {
  const query = useInfiniteQuery({
    queryKey: getKey(
      'device_reference' in whose ? 'listGpsOfDevice' : 'listGpsOfUser',
      whose,
      range,
      'track',
    ),
    queryFn: ({ pageParam, signal }) => ask(whose, { ...range, last_key: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page, pages) =>
      pages.length * GPS_PAGE_LIMIT < MAX_POINTS ? page.last_key : undefined,
    staleTime: 60_000,
  })
  const { data, hasNextPage, isFetchingNextPage, error, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && error === null) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, error, fetchNextPage])
  const tracks: Track[] | undefined = useMemo(
    () => data && getTracks(data.pages.flatMap((page) => page.data)),
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
  whose: PositionOwner,
  query: { from?: string | undefined; to?: string | undefined; last_key?: string | undefined },
  signal: AbortSignal,
): Promise<Page<GpsPoint>> {
  const asked = { ...query, limit: GPS_PAGE_LIMIT }
  return 'device_reference' in whose
    ? gpsApi.listGpsOfDevice({ params: whose, query: asked }, { signal })
    : gpsApi.listGpsOfUser({ params: whose, query: asked }, { signal })
}

export interface PlacedRecording extends PayloadSummary {
  place: NonNullable<PayloadPlace['place']>
}

/** Newest recordings with a position in a period, at most 100; empty for users without the right. */
export function useRecordings(
  whose: PositionOwner,
  range: { from: string | undefined; to: string | undefined },
): PlacedRecording[] {
  const may = useMay()
  const isOfDevice = 'device_reference' in whose
  const { data } = useQuery({
    queryKey: getKey('readPayloadPlaces', whose, range),
    enabled: may('payloads.places:read') && may(isOfDevice ? 'devices.payloads:list' : 'users.payloads:list'),
    queryFn: async ({ signal }) => {
      const query = { ...range, limit: BATCH_LIMIT }
      const { data: rows } = isOfDevice
        ? await api.listPayloadsOfDevice({ params: whose, query }, { signal })
        : await api.listPayloadsOfUser({ params: whose, query }, { signal })
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

/** Recordings along the track, with links to their page and their time on the map. */
export function RecordingsTable({
  recordings,
  onShow,
}: {
  recordings: readonly PlacedRecording[]
  onShow: (time: number) => void
}) {
  const { t, i18n } = useLingui()
  const part = usePart(recordings, 0)
  if (recordings.length === 0)
    return (
      <Text c="dimmed">
        <Trans>No recording in this period has a location.</Trans>
      </Text>
    )
  return (
    <>
      <DataTable
        caption={t`Recordings`}
        columns={[
          { label: t`Time`, cell: (row) => <Time at={row.payload_time} zone={row.timezone} /> },
          { label: t`Type`, cell: (row) => <OpenRecording recording={row} /> },
          {
            label: t`Place`,
            cell: (row) =>
              row.place.is_last_known
                ? t`${placeWords(row.place, i18n)} (last known)`
                : placeWords(row.place, i18n),
          },
        ]}
        rows={part.rows}
        getKey={(row) => row.payload_reference}
        actions={(row) => (
          <Button size="xs" variant="default" onClick={() => onShow(row.payload_time)}>
            <Trans>Show</Trans>
          </Button>
        )}
      />
      <MorePages part={part} />
    </>
  )
}

function OpenRecording({ recording: { payload_type, payload_reference } }: { recording: PlacedRecording }) {
  const { i18n } = useLingui()
  const service = screenService(payload_type)
  const word = i18n._(PAYLOAD_TYPE_WORDS[payload_type])
  if (!service) return word
  return <LinkAnchor {...getDetail(service, payload_reference)}>{word}</LinkAnchor>
}
