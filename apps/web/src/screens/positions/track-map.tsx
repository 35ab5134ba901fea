import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Button, Group, NativeSelect, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { type KeyboardEvent, useCallback, useMemo, useState } from 'react'
import type { MapLayer } from './map/draw-basemap.ts'
import { MapView } from './map/map.tsx'
import { StreetsNotice, useTiles } from './map/streets-notice.tsx'
import { drawMoment, drawTracks, placer } from './draw-track.ts'
import { worldX, worldY } from './map/projection.ts'
import { type PlacedRecording, RecordingsTable, useRecordings, type Whose } from './recordings-table.tsx'
import { visible } from '../../ui/visible.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { formatDuration, formatTime } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import { MorePages, PART, placeWords, usePart } from './more-pages.tsx'
import { boundsOf, placeAt, spanOf, type Track } from './track.ts'
import { SPEEDS, useReplay } from './use-replay.ts'
import { Icon } from '../../ui/icon.tsx'
import classes from './replay-bar.module.css'

/** All positions by time, in pages; shows the page of the slider's time until the user turns the page. */
function PointsTable({
  tracks,
  time,
  onShow,
}: {
  tracks: readonly Track[]
  time: number
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
            id: 'time',
            label: t`Time`,
            cell: (row) => <Time at={row.timestamp} zone={row.timezone ?? undefined} style="second" />,
          },
          { id: 'place', label: t`Place`, cell: (row) => placeWords(row, i18n) },
          { id: 'accuracy', label: t`Accuracy`, align: 'end', cell: (row) => metres(row.accuracy) },
          { id: 'altitude', label: t`Altitude`, align: 'end', cell: (row) => metres(row.altitude) },
          { id: 'provider', label: t`Source`, cell: (row) => row.provider && visible(row.provider) },
          {
            id: 'holder',
            label: t`Device user`,
            cell: (row) => row.device_user_reference && visible(row.device_user_reference),
          },
        ]}
        rows={part.rows}
        keyOf={(row) => `${row.device_reference} ${row.gps_reference} ${row.timestamp}`}
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

type Shown = 'stops' | 'points' | 'recordings'

/** Map with slider, and tables of stops and positions. */
export function TrackMap({
  tracks,
  whose,
  range,
}: {
  tracks: readonly Track[]
  whose: Whose
  range: { from: string | undefined; to: string | undefined }
}) {
  const { t } = useLingui()
  const [table, setTable] = useState<Shown>('stops')
  const span = useMemo(() => spanOf(tracks), [tracks])
  const bounds = useMemo(() => boundsOf(tracks), [tracks])
  const replay = useReplay(tracks, span)
  const tiles = useTiles()
  const recordings = useRecordings(whose, range)
  const { time, setTime } = replay
  const draw = useCallback((layer: MapLayer) => drawTracks(layer, tracks), [tracks])
  const drawNow = useCallback(
    (layer: MapLayer) => {
      drawRecordings(layer, recordings)
      drawMoment(layer, tracks, time)
    },
    [tracks, recordings, time],
  )
  if (tracks.length === 0) return null
  return (
    <Stack gap="sm">
      <MapView
        label={t`Map of the track. Arrow keys move it, plus and minus zoom.`}
        fit={bounds}
        draw={draw}
        drawMoment={drawNow}
        tiles={tiles}
      />
      <Text size="sm" c="dimmed">
        <Trans>Squares are stops, triangles recordings, dotted lines gaps.</Trans>
      </Text>
      <StreetsNotice />
      <ReplayBar replay={replay} span={span} tracks={tracks} />
      <PageBody>
        <Group>
          <SegmentedControl
            aria-label={t`Table shown`}
            value={table}
            onChange={(value) => setTable(value as Shown)}
            data={[
              { value: 'stops', label: t`Stops` },
              { value: 'points', label: t`Positions` },
              { value: 'recordings', label: t`Recordings` },
            ]}
          />
        </Group>
        {table === 'stops' ? (
          <StopsTable tracks={tracks} onShow={setTime} />
        ) : table === 'recordings' ? (
          <RecordingsTable recordings={recordings} onShow={setTime} />
        ) : (
          <PointsTable tracks={tracks} time={time} onShow={setTime} />
        )}
      </PageBody>
    </Stack>
  )
}

/** Draws recordings as triangles, so that shape alone distinguishes them from stops. */
function drawRecordings(layer: MapLayer, recordings: readonly PlacedRecording[]): void {
  const { context, colours } = layer
  const at = placer(layer)
  context.fillStyle = colours.recording
  context.strokeStyle = colours.halo
  context.lineWidth = 2
  for (const { place } of recordings) {
    const [x, y] = at(worldX(place.longitude), worldY(place.latitude))
    context.beginPath()
    context.moveTo(x, y - 8)
    context.lineTo(x + 7, y + 5)
    context.lineTo(x - 7, y + 5)
    context.closePath()
    context.fill()
    context.stroke()
  }
}

/** Stops by time, each with a link to the map. */
function StopsTable({ tracks, onShow }: { tracks: readonly Track[]; onShow: (time: number) => void }) {
  const { t, i18n } = useLingui()
  const stops = tracks
    .flatMap((track) => track.stops.map((stop) => ({ ...stop, point: track.points[stop.first] })))
    .toSorted((a, b) => a.begin - b.begin)
  const part = usePart(stops, 0)
  if (stops.length === 0)
    return (
      <Text c="dimmed">
        <Trans>No stops of ten minutes within 150 metres.</Trans>
      </Text>
    )
  return (
    <>
      <DataTable
        caption={t`Stops`}
        columns={[
          { id: 'begin', label: t`From`, cell: (row) => <Time at={row.begin} /> },
          { id: 'end', label: t`To`, cell: (row) => <Time at={row.end} /> },
          {
            id: 'length',
            label: t`Duration`,
            align: 'end',
            cell: (row) => formatDuration(row.end - row.begin),
          },
          { id: 'place', label: t`Place`, cell: (row) => placeWords(row, i18n) },
        ]}
        rows={part.rows}
        keyOf={(row) => `${row.point?.device_reference} ${row.begin}`}
        actions={(row) => (
          <Button size="xs" variant="default" onClick={() => onShow(row.begin)}>
            <Trans>Show</Trans>
          </Button>
        )}
      />
      <MorePages part={part} />
    </>
  )
}

/** Slider step of a key, in seconds. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -60,
  ArrowDown: -60,
  ArrowRight: 60,
  ArrowUp: 60,
  PageDown: -900,
  PageUp: 900,
}

/** Replays the track and shows any moment of it. */
function ReplayBar({
  replay,
  span,
  tracks,
}: {
  replay: ReturnType<typeof useReplay>
  span: { begin: number; end: number }
  tracks: readonly Track[]
}) {
  const { t, i18n } = useLingui()
  const { time, setTime, isRunning, toggle, speed, setSpeed, isSkipping, setSkipping } = replay
  const isKnown = tracks.some((track) => placeAt(track, time))
  const shown = formatTime(Math.round(time), i18n.locale, undefined, 'second')
  const spoken = isKnown ? shown : t`${shown}, unknown location`
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    setTime(Math.min(span.end, Math.max(span.begin, time + step)))
  }
  return (
    <Group gap="sm" wrap="wrap">
      <ActionIcon size="lg" aria-label={isRunning ? t`Pause` : t`Replay`} onClick={toggle}>
        <Icon name={isRunning ? 'pause' : 'play'} />
      </ActionIcon>
      <input
        type="range"
        className={classes.slider}
        min={span.begin}
        max={span.end}
        step={1}
        value={Math.round(time)}
        aria-label={t`Position in time`}
        aria-valuetext={spoken}
        onChange={({ currentTarget }) => setTime(Number(currentTarget.value))}
        onKeyDown={onKeyDown}
      />
      <Text size="sm" className={classes.time}>
        {isKnown ? shown : <Trans>{shown}: unknown location</Trans>}
      </Text>
      <NativeSelect
        aria-label={t`Speed`}
        value={String(speed)}
        onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
        data={SPEEDS.map((each) => ({ value: String(each), label: `${each} ×` }))}
      />
      <Switch
        label={t`Skip stops and gaps`}
        checked={isSkipping}
        onChange={({ currentTarget }) => setSkipping(currentTarget.checked)}
      />
    </Group>
  )
}
