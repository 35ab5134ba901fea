import { Trans, useLingui } from '@lingui/react/macro'
import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useCallback, useMemo, useState } from 'react'
import type { MapLayer } from './map/layer.ts'
import { MapView } from './map/map.tsx'
import { StreetsNotice } from './map/streets-notice.tsx'
import { useTiles } from './map/use-tiles.ts'
import { drawMoment, drawTracks, placer } from './draw-track.ts'
import { worldX, worldY } from './map/projection.ts'
import { RecordingsTable } from './recordings-table.tsx'
import { PointsTable } from './points-table.tsx'
import { ReplayBar } from './replay-bar.tsx'
import { StopsTable } from './stops-table.tsx'
import { boundsOf, spanOf, type Track } from './track.ts'
import { useReplay } from './use-replay.ts'
import { type PlacedRecording, useRecordings } from './use-recordings.ts'
import type { Whose } from './use-track.ts'

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
      <Group>
        <SegmentedControl
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
