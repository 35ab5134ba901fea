import { metresBetween, placeAt, type Stop, type Track } from './track.ts'

/** A part of a track: a stay, a way or a gap. */
export interface Segment {
  kind: 'stop' | 'move' | 'gap'
  device_reference: string
  begin: number
  end: number
  /** Where it stays or begins. */
  latitude: number
  longitude: number
  /** Length of a way. */
  metres: number
}

/** Parts of a track in order of time, without overlaps. */
export function getSegments(track: Track): Segment[] {
  const { device_reference, points, times, isAfterGap } = track
  const stops = new Map(track.stops.map((stop) => [stop.first, stop]))
  const last = points.length - 1
  const segments: Segment[] = []
  const add = (
    kind: Segment['kind'],
    from: number,
    to: number,
    at: Omit<Partial<Stop>, 'first'>,
    metres = 0,
  ) =>
    segments.push({
      kind,
      device_reference,
      begin: times[from] ?? 0,
      end: times[to] ?? 0,
      latitude: at.latitude ?? 0,
      longitude: at.longitude ?? 0,
      metres,
    })
  for (let i = 0; i < last;) {
    const stop = stops.get(i)
    const here = { latitude: track.latitudes[i] ?? 0, longitude: track.longitudes[i] ?? 0 }
    if (stop) {
      add('stop', i, stop.last, stop)
      i = stop.last
      continue
    }
    let [next, metres] = [i + 1, 0]
    if (isAfterGap[next]) add('gap', i, next, here)
    else {
      metres = metresBetween(points[i], points[next])
      while (next < last && !stops.has(next) && !isAfterGap[next + 1]) {
        metres += metresBetween(points[next], points[next + 1])
        next++
      }
      add('move', i, next, here, metres)
    }
    i = next
  }
  return segments
}

/** Where a device is at a time: at a stop, on the way, or unknown with its last known position. */
export type PositionAtTime =
  | { kind: 'stop'; stop: Segment }
  | { kind: 'move'; latitude: number; longitude: number }
  | { kind: 'unknown'; last?: { time: number; latitude: number; longitude: number } }

/** Where the devices are: the one with a known place, else the one that was known last. */
export function getPositionAt(
  tracks: readonly Track[],
  segments: readonly Segment[],
  time: number,
): PositionAtTime {
  const stop = segments.find(({ kind, begin, end }) => kind === 'stop' && begin <= time && time <= end)
  if (stop) return { kind: 'stop', stop }
  for (const track of tracks) {
    const place = placeAt(track, time)
    // After its last position a device is not on the way.
    if (place && time <= (track.times.at(-1) ?? 0)) return { ...place, kind: 'move' }
  }
  const before = tracks
    .flatMap(({ points }) => points.findLast(({ timestamp }) => timestamp <= time) ?? [])
    .toSorted((a, b) => b.timestamp - a.timestamp)[0]
  if (!before) return { kind: 'unknown' }
  const { timestamp, latitude, longitude } = before
  return { kind: 'unknown', last: { time: timestamp, latitude: latitude ?? 0, longitude: longitude ?? 0 } }
}

/** Where the map follows to: where a device is, or was last; undefined before the first position. */
export function followedPlace(
  tracks: readonly Track[],
  time: number,
): { latitude: number; longitude: number } | undefined {
  const where = getPositionAt(tracks, [], time)
  if (where.kind === 'stop') return where.stop
  return where.kind === 'move' ? where : where.last
}
