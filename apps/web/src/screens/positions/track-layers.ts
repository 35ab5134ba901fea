import type { Feature, FeatureCollection, GeoJSON, Position } from 'geojson'
import type { MapContent } from './map/style.ts'
import type { PlacedRecording } from './recordings-table.tsx'
import { indexAt, placeAt, type Track } from './track.ts'

/** The track of devices: faint, and strong up to the shown time; gaps dotted; stops, recordings and the moment. */
export const TRACK_CONTENT: MapContent = {
  sources: { tracks: {}, past: {}, stops: {}, recordings: {}, moment: {} },
  layers: (colours) => [
    {
      id: 'gaps',
      type: 'line',
      source: 'tracks',
      filter: ['==', ['get', 'kind'], 'gap'],
      paint: { 'line-color': colours.gap, 'line-width': 2, 'line-dasharray': [1, 3] },
    },
    {
      id: 'tracks',
      type: 'line',
      source: 'tracks',
      filter: ['==', ['get', 'kind'], 'track'],
      layout: { 'line-join': 'round', 'line-cap': 'round' },
      paint: { 'line-color': colours.track, 'line-width': 3 },
    },
    {
      id: 'single',
      type: 'circle',
      source: 'tracks',
      filter: ['==', ['get', 'kind'], 'single'],
      paint: { 'circle-color': colours.track, 'circle-radius': 3 },
    },
    {
      id: 'past',
      type: 'line',
      source: 'past',
      layout: { 'line-join': 'round', 'line-cap': 'round' },
      paint: { 'line-color': colours.past, 'line-width': 3 },
    },
    {
      id: 'recordings',
      type: 'symbol',
      source: 'recordings',
      layout: { 'icon-image': 'recording', 'icon-allow-overlap': true },
    },
    {
      id: 'accuracy',
      type: 'fill',
      source: 'moment',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': colours.accuracy, 'fill-outline-color': colours.past },
    },
    {
      id: 'stops',
      type: 'symbol',
      source: 'stops',
      layout: { 'icon-image': 'stop', 'icon-allow-overlap': true },
    },
    {
      id: 'moment',
      type: 'circle',
      source: 'moment',
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': colours.marker,
        'circle-radius': 7,
        'circle-stroke-color': colours.halo,
        'circle-stroke-width': 2,
      },
    },
  ],
}

const getFeature = (geometry: Feature['geometry'], properties: Record<string, string> = {}): Feature => ({
  type: 'Feature',
  properties,
  geometry,
})
const collection = (features: Feature[]): FeatureCollection => ({ type: 'FeatureCollection', features })
const pointAt = (longitude: number, latitude: number): Feature['geometry'] => ({
  type: 'Point',
  coordinates: [longitude, latitude],
})

const at = ({ longitudes, latitudes }: Track, i: number): Position => [longitudes[i] ?? 0, latitudes[i] ?? 0]

/** Lines of a track up to a time, cut at gaps. */
function linesUntil(track: Track, time: number): Position[][] {
  const lines = getLines(track, indexAt(track, time))
  const place = placeAt(track, time)
  if (place) lines.at(-1)?.push([place.longitude, place.latitude])
  return lines
}

/** Lines of a track up to an index, cut at gaps. */
function getLines(track: Track, until: number): Position[][] {
  const lines: Position[][] = []
  for (let i = 0; i <= until; i++) {
    if (i === 0 || track.isAfterGap[i]) lines.push([])
    lines.at(-1)?.push(at(track, i))
  }
  return lines
}

/** What ignores the shown time. */
export function trackData(
  tracks: readonly Track[],
  recordings: readonly PlacedRecording[],
): Record<'tracks' | 'stops' | 'recordings', GeoJSON> {
  const lines = tracks.flatMap((track) => {
    const parts = getLines(track, track.times.length - 1)
    const gaps = parts.slice(1).map((part, i) => [parts[i]?.at(-1) ?? [], part[0] ?? []])
    return [
      getFeature(
        { type: 'MultiLineString', coordinates: parts.filter(({ length }) => length > 1) },
        { kind: 'track' },
      ),
      getFeature({ type: 'MultiLineString', coordinates: gaps }, { kind: 'gap' }),
      getFeature(
        {
          type: 'MultiPoint',
          coordinates: parts.filter(({ length }) => length === 1).flat(),
        },
        { kind: 'single' },
      ),
    ]
  })
  const stops = tracks.flatMap((track) =>
    track.stops.map((stop) => getFeature(pointAt(stop.longitude, stop.latitude))),
  )
  const placed = recordings.map(({ place }) => getFeature(pointAt(place.longitude, place.latitude)))
  return { tracks: collection(lines), stops: collection(stops), recordings: collection(placed) }
}

/** The tracks up to a time. */
export const pastData = (tracks: readonly Track[], time: number): GeoJSON =>
  collection(
    tracks.map((track) => getFeature({ type: 'MultiLineString', coordinates: linesUntil(track, time) })),
  )

/** Position of each device at a time, with its accuracy. */
export const momentData = (tracks: readonly Track[], time: number): GeoJSON =>
  collection(
    tracks.flatMap((track) => {
      const place = placeAt(track, time)
      if (!place) return []
      const { longitude, latitude } = place
      const accuracy = track.points[place.index]?.accuracy ?? 0
      const point = getFeature(pointAt(longitude, latitude))
      return accuracy > 0 ? [getFeature(circle(longitude, latitude, accuracy)), point] : [point]
    }),
  )

const METRES_PER_DEGREE = 111_320
/** Corners of a drawn circle. */
const CORNERS = 48

function circle(longitude: number, latitude: number, metres: number): Feature['geometry'] {
  const north = metres / METRES_PER_DEGREE
  const east = north / Math.max(0.01, Math.cos((latitude * Math.PI) / 180))
  const ring = Array.from({ length: CORNERS + 1 }, (_, i): Position => {
    const angle = ((i % CORNERS) / CORNERS) * 2 * Math.PI
    return [longitude + Math.sin(angle) * east, latitude + Math.cos(angle) * north]
  })
  return { type: 'Polygon', coordinates: [ring] }
}
