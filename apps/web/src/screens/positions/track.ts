import type { GpsPoint } from '@custodia/contract'
import type { Bounds } from './map/map.tsx'

/** Seconds without a position that make a gap. */
export const GAP_SECONDS = 15 * 60
/** A stop: minimum duration in seconds within a radius in metres. */
const STOP_METRES = 150
const STOP_SECONDS = 10 * 60

/** A period in which a device did not move. */
export interface Stop {
  first: number
  last: number
  begin: number
  end: number
  latitude: number
  longitude: number
}

/** Positions of one device by time; readable positions only. */
export interface Track {
  device_reference: string
  points: GpsPoint[]
  times: Float64Array
  longitudes: Float64Array
  latitudes: Float64Array
  /** 1 where a gap precedes this position. */
  isAfterGap: Uint8Array
  stops: Stop[]
}

/** Groups positions into tracks per device; input order does not matter. */
export function getTracks(rows: readonly GpsPoint[]): Track[] {
  const readable = rows.filter(({ latitude, longitude }) => latitude !== null && longitude !== null)
  return [...Map.groupBy(readable, (row) => row.device_reference)].map(([device_reference, points]) =>
    getTrack(
      device_reference,
      points.sort((a, b) => a.timestamp - b.timestamp),
    ),
  )
}

function getTrack(device_reference: string, points: GpsPoint[]): Track {
  const times = Float64Array.from(points, ({ timestamp }) => timestamp)
  const longitudes = Float64Array.from(points, ({ longitude }) => longitude ?? 0)
  const latitudes = Float64Array.from(points, ({ latitude }) => latitude ?? 0)
  const isAfterGap = Uint8Array.from(times, (time, i) =>
    i > 0 && time - (times[i - 1] ?? 0) > GAP_SECONDS ? 1 : 0,
  )
  const stops = getStops(points, isAfterGap)
  return { device_reference, points, times, longitudes, latitudes, isAfterGap, stops }
}

/** Finds stops: within the radius of the first position, without a gap. */
function getStops(points: readonly GpsPoint[], isAfterGap: Uint8Array): Stop[] {
  const stops: Stop[] = []
  for (let first = 0; first < points.length;) {
    let next = first + 1
    while (
      next < points.length &&
      !isAfterGap[next] &&
      metresBetween(points[first], points[next]) <= STOP_METRES
    )
      next++
    const [from, to] = [points[first] as GpsPoint, points[next - 1] as GpsPoint]
    if (to.timestamp - from.timestamp < STOP_SECONDS) {
      first++
      continue
    }
    const stayed = points.slice(first, next)
    const mean = (of: (point: GpsPoint) => number | null) =>
      stayed.reduce((sum, point) => sum + (of(point) ?? 0), 0) / stayed.length
    const [latitude, longitude] = [mean((each) => each.latitude), mean((each) => each.longitude)]
    const stop = { first, last: next - 1, begin: from.timestamp, end: to.timestamp, latitude, longitude }
    const before = stops.at(-1)
    // One inaccurate position does not end a stay.
    if (before?.last === first - 1 && !isAfterGap[first] && metresBetween(before, stop) <= STOP_METRES)
      stops[stops.length - 1] = { ...before, last: stop.last, end: stop.end }
    else stops.push(stop)
    first = next
  }
  return stops
}

type Place = Pick<GpsPoint, 'latitude' | 'longitude'>

/** Flat approximation, accurate enough for a few kilometres. */
export function metresBetween(a: Place | undefined, b: Place | undefined): number {
  if (!a || !b) return 0
  const north = ((a.latitude ?? 0) - (b.latitude ?? 0)) * 111_320
  const east =
    ((a.longitude ?? 0) - (b.longitude ?? 0)) * 111_320 * Math.cos(((a.latitude ?? 0) * Math.PI) / 180)
  return Math.hypot(north, east)
}

/** Index of the last position at or before a time; -1 before the first. */
export function indexAt({ times }: Pick<Track, 'times'>, time: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] ?? 0) <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Interpolated position at a time; undefined in a gap. */
export function placeAt(
  track: Track,
  time: number,
): { longitude: number; latitude: number; index: number } | undefined {
  const index = indexAt(track, time)
  if (index < 0) return undefined
  const { times, longitudes, latitudes, isAfterGap } = track
  const [begin, end] = [times[index] ?? 0, times[index + 1]]
  const here = { longitude: longitudes[index] ?? 0, latitude: latitudes[index] ?? 0, index }
  if (end === undefined) return time - begin <= GAP_SECONDS ? here : undefined
  if (isAfterGap[index + 1]) return time === begin ? here : undefined
  const part = end > begin ? (time - begin) / (end - begin) : 0
  const between = (from: number, to = 0) => from + (to - from) * part
  return {
    longitude: between(here.longitude, longitudes[index + 1]),
    latitude: between(here.latitude, latitudes[index + 1]),
    index,
  }
}

/** Bounding rectangle of all tracks; undefined without positions. */
export function getBounds(tracks: readonly Pick<Track, 'longitudes' | 'latitudes'>[]): Bounds | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { longitudes, latitudes } of tracks)
    for (const [i, longitude] of longitudes.entries()) {
      const latitude = latitudes[i] ?? 0
      west = Math.min(west, longitude)
      east = Math.max(east, longitude)
      south = Math.min(south, latitude)
      north = Math.max(north, latitude)
    }
  return west === Infinity ? undefined : [west, south, east, north]
}

/** Times of the first and last position, in epoch seconds. */
export const getSpan = (tracks: readonly Track[]): { begin: number; end: number } => ({
  begin: Math.min(...tracks.map(({ times }) => times[0] ?? Infinity)),
  end: Math.max(...tracks.map(({ times }) => times.at(-1) ?? -Infinity)),
})
