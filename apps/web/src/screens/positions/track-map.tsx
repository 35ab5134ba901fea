import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import { PersonName } from '../../components/devices/links.tsx'
import { personName } from '../../components/names.tsx'
import { POSITION_SOURCES } from '../../components/words/payload-words.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { type Focus, MapView } from './map/map.tsx'
import { StreetsNotice, useStreets } from './map/streets-notice.tsx'
import { type Coordinates, usePlaceNames } from './map/use-place-names.ts'
import { MorePages, PART, placeWords, usePart } from './more-pages.tsx'
import { RecordingsTable, useRecordings, type PositionOwner } from './recordings-table.tsx'
import { ReplayBar } from './replay-bar.tsx'
import { followedPlace, getSegments, getPositionAt } from './segments.ts'
import { momentData, pastData, TRACK_CONTENT, trackData } from './track-layers.ts'
import { TrackList } from './track-list.tsx'
import { getBounds, getSpan, type Track } from './track.ts'
import { useReplay } from './use-replay.ts'
import classes from './map/map-list.module.css'

type TrackContent = 'points' | 'recordings'

/** The person of a page, or the present holder of its device. */
export interface Holder {
  device_user_reference: string | null
  first_name: string | null
  surname: string | null
}

/** Map with a list of stops, the replay, and tables of positions and recordings. */
export function TrackMap({
  tracks,
  whose,
  holder,
  range,
}: {
  tracks: readonly Track[]
  whose: PositionOwner
  holder: Holder
  range: { from: string | undefined; to: string | undefined }
}) {
  const { t } = useLingui()
  const [table, setTable] = useState<TrackContent>('points')
  const span = useMemo(() => getSpan(tracks), [tracks])
  const segments = useMemo(
    () => tracks.flatMap(getSegments).toSorted((a, b) => a.begin - b.begin || a.end - b.end),
    [tracks],
  )
  const replay = useReplay(tracks, span)
  const recordings = useRecordings(whose, range)
  const getPlace = usePlaceOf()
  const { time, setTime } = replay
  const { focus, jump } = useMapFocus(tracks, replay)
  const onShow = (at: number) => {
    setTime(at)
    const where = getPositionAt(tracks, segments, at)
    jump(where.kind === 'stop' ? where.stop : followedPlace(tracks, at))
  }
  if (tracks.length === 0) return null
  return (
    <Stack gap="sm">
      <ReplayBar {...{ replay, span, tracks, segments, getPlace }} onJump={onShow} />
      <div className={classes.page}>
        <TrackOnMap {...{ tracks, recordings, replay, focus }} />
        <TrackList {...{ segments, time, getPlace, onShow }} />
      </div>
      <Text size="sm" c="dimmed">
        <Trans>Squares are stops, triangles recordings, dotted lines gaps.</Trans>
      </Text>
      <StreetsNotice />
      <PageBody>
        <Group>
          <SegmentedControl
            aria-label={t`Table shown`}
            value={table}
            onChange={(value) => setTable(value as TrackContent)}
            data={[
              { value: 'points', label: t`Positions` },
              { value: 'recordings', label: t`Recordings` },
            ]}
          />
        </Group>
        {table === 'recordings' ? (
          <RecordingsTable recordings={recordings} onShow={onShow} />
        ) : (
          <PointsTable {...{ tracks, time, holder, getPlace, onShow }} />
        )}
      </PageBody>
    </Stack>
  )
}

/** Nearest place of a position; its coordinates where none is known. */
function usePlaceOf(): (position: Coordinates) => string {
  const { i18n } = useLingui()
  const placeName = usePlaceNames()
  return useCallback((position) => placeName(position) ?? placeWords(position, i18n), [placeName, i18n])
}

/** Where the map moves: to a chosen moment, or along with the replay. */
function useMapFocus(tracks: readonly Track[], { time, isFollowing }: ReturnType<typeof useReplay>) {
  const [chosen, jump] = useState<Focus>()
  const followed = useMemo(
    () => (isFollowing ? followedPlace(tracks, time) : undefined),
    [isFollowing, tracks, time],
  )
  return {
    focus: followed ?? chosen,
    jump: (place: Focus | undefined) =>
      place && jump({ longitude: place.longitude, latitude: place.latitude }),
  }
}

function TrackOnMap({
  tracks,
  recordings,
  replay: { time, isRunning, speed },
  focus,
}: {
  tracks: readonly Track[]
  recordings: ReturnType<typeof useRecordings>
  replay: ReturnType<typeof useReplay>
  focus: Focus | undefined
}) {
  const { t } = useLingui()
  const streets = useStreets()
  const bounds = useMemo(() => getBounds(tracks), [tracks])
  // A long track takes longer than a frame. In a replay each frame would defer it again, so it is drawn twice a second.
  const deferred = useDeferredValue(Math.round(time))
  const drawn = isRunning ? Math.floor(time / (speed / 2)) * (speed / 2) : deferred
  const fixed = useMemo(() => trackData(tracks, recordings), [tracks, recordings])
  const past = useMemo(() => pastData(tracks, drawn), [tracks, drawn])
  const moment = useMemo(() => momentData(tracks, time), [tracks, time])
  const data = useMemo(() => ({ ...fixed, past, moment }), [fixed, past, moment])
  return (
    <MapView
      label={t`Map of the track. Arrow keys move it, plus and minus zoom.`}
      fit={bounds}
      content={TRACK_CONTENT}
      data={data}
      focus={focus}
      streets={streets}
    />
  )
}

/** All positions by time, in pages; shows the page of the slider's time until the user turns the page. */
function PointsTable({
  tracks,
  time,
  holder,
  getPlace,
  onShow,
}: {
  tracks: readonly Track[]
  time: number
  holder: Holder
  getPlace: (position: Coordinates) => string
  onShow: (time: number) => void
}) {
  const { t, i18n } = useLingui()
  const points = useMemo(
    () => tracks.flatMap((track) => track.points).toSorted((a, b) => a.timestamp - b.timestamp),
    [tracks],
  )
  const next = points.findIndex(({ timestamp }) => timestamp > time)
  const at = Math.floor(Math.max(0, (next === -1 ? points.length : next) - 1) / PART)
  const part = usePart(points, at)
  const metres = (value: number | null) =>
    value === null ? null : i18n.number(value, { style: 'unit', unit: 'meter', maximumFractionDigits: 1 })
  return (
    <>
      <DataTable
        caption={t`Positions`}
        columns={[
          {
            label: t`Time`,
            cell: (row) => <Time at={row.timestamp} zone={row.timezone ?? undefined} style="second" />,
          },
          { label: t`Place`, cell: (row) => <Place row={row} name={getPlace(row)} /> },
          { label: t`Accuracy`, align: 'end', cell: (row) => metres(row.accuracy) },
          { label: t`Altitude`, align: 'end', cell: (row) => metres(row.altitude) },
          {
            label: t`Source`,
            cell: ({ provider }) => {
              const source = POSITION_SOURCES.get(provider ?? '')
              return source ? i18n._(source) : provider && visible(provider)
            },
          },
          {
            label: t`Device user`,
            // The server does not name the positions of a track.
            cell: ({ device_user_reference }) =>
              device_user_reference && (
                <PersonName
                  device_user_reference={device_user_reference}
                  person_name={
                    (device_user_reference === holder.device_user_reference && personName(holder)) ||
                    undefined
                  }
                />
              ),
          },
        ]}
        rows={part.rows}
        getKey={(row) => `${row.device_reference} ${row.gps_reference} ${row.timestamp}`}
        actions={(row) => (
          <Button size="xs" variant="default" onClick={() => onShow(row.timestamp)}>
            <Trans>Show</Trans>
          </Button>
        )}
      />
      <MorePages part={part} />
    </>
  )
}

/** Nearest place, and the coordinates. */
function Place({ row, name }: { row: Coordinates; name: string }) {
  const { i18n } = useLingui()
  const degrees = placeWords(row, i18n)
  return (
    <>
      {name}
      {name !== degrees && (
        <Text size="sm" c="dimmed">
          {degrees}
        </Text>
      )}
    </>
  )
}
