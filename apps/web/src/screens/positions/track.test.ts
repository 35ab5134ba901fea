import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GpsPoint } from '@custodia/contract'
import { onShownDay, parseClock, getTicks } from './clock.ts'
import { getGpx, pointsCsv } from './files.ts'
import { followedPlace, getSegments, getPositionAt } from './segments.ts'
import { pastData } from './track-layers.ts'
import { getBounds, indexAt, placeAt, getSpan, getTracks } from './track.ts'
import { afterRecheck } from './use-replay.ts'

const at = (timestamp: number, more: Partial<GpsPoint> = {}): GpsPoint => ({
  client: 'acme',
  gps_reference: `p-${timestamp}`,
  device_reference: 'phone',
  device_user_reference: 'Harriet',
  group: 'North',
  timestamp,
  received_at: timestamp,
  latitude: 51.5,
  longitude: -0.1 + timestamp / 100_000,
  accuracy: 10,
  altitude: null,
  timezone: 'Europe/London',
  provider: 'gps',
  ...more,
})

test('positions form one track per device in time order, without unreadable positions', () => {
  const tracks = getTracks([
    at(120),
    at(60),
    at(90, { latitude: null, longitude: null }),
    at(70, { device_reference: 'other' }),
  ])
  assert.deepEqual(
    tracks.map(({ device_reference, times }) => [device_reference, [...times]]),
    [
      ['phone', [60, 120]],
      ['other', [70]],
    ],
  )
  assert.deepEqual(getSpan(tracks), { begin: 60, end: 120 })
  assert.equal(getBounds([]), undefined)
})

test('a device moves between positions, is hidden in a gap and stays a while after the end', () => {
  const [track] = getTracks([at(0), at(100), at(5000)])
  assert.ok(track)
  assert.deepEqual([...track.isAfterGap], [0, 0, 1])
  assert.ok(Math.abs((placeAt(track, 50)?.longitude ?? 0) + 0.0995) < 1e-9)
  assert.equal(placeAt(track, 100)?.longitude, track.longitudes[1])
  assert.equal(placeAt(track, 101), undefined)
  assert.equal(placeAt(track, -1), undefined)
  assert.equal(placeAt(track, 5800)?.index, 2)
  assert.equal(placeAt(track, 5000 + 901), undefined)
  assert.equal(indexAt(track, 99), 0)
})

test('ten minutes within 150 metres count as a stop, and a gap ends it', () => {
  const stay = (from: number, to: number) =>
    Array.from({ length: (to - from) / 300 + 1 }, (_, i) => at(from + i * 300, { longitude: 0 }))
  const [track] = getTracks([...stay(0, 900), ...stay(3000, 3300), at(4000, { longitude: 0.1 })])
  assert.deepEqual(
    track?.stops.map(({ begin, end }) => [begin, end]),
    [[0, 900]],
  )
  // The replay skips the stop, and then the gap.
  assert.equal(afterRecheck(track ? [track] : [], 10), 900)
  assert.equal(afterRecheck(track ? [track] : [], 901), 3000)
  assert.equal(afterRecheck(track ? [track] : [], 3600), 3600)
})

test('a position near the place of a stay does not end the stay', () => {
  // Metres east of the first position: the second is inaccurate, and 80 metres further begins a radius of its own.
  const metres = [0, 140, 90, 160, 100, 100, 100, 100]
  const tracks = getTracks(metres.map((east, i) => at(i * 600, { latitude: 0, longitude: east / 111_320 })))
  assert.deepEqual(
    tracks.flatMap(getSegments).map(({ kind, begin, end }) => [kind, begin, end]),
    [['stop', 0, 4200]],
  )
})

test('the map follows a device through a gap by its last known place, and the line ends at the device', () => {
  const tracks = getTracks([at(0, { longitude: 0 }), at(600, { longitude: 0.02 }), at(5000)])
  assert.deepEqual(followedPlace(tracks, 300)?.longitude, 0.01)
  assert.deepEqual(followedPlace(tracks, 3000)?.longitude, 0.02)
  assert.equal(followedPlace(tracks, -1), undefined)
  const lineAt = (time: number) => JSON.stringify(pastData(tracks, time)).match(/"coordinates":(\[.*\])/)?.[1]
  assert.match(lineAt(300) ?? '', /\[0,51\.5\],\[0\.01,51\.5\]\]/)
  assert.match(lineAt(3000) ?? '', /\[0\.02,51\.5\]\]\]/)
})

test('a track is a list of stops, ways and gaps, and says where a device is', () => {
  const stay = (from: number, to: number, longitude: number) =>
    Array.from({ length: (to - from) / 300 + 1 }, (_, i) => at(from + i * 300, { longitude }))
  const tracks = getTracks([
    ...stay(0, 900, 0),
    at(1100, { longitude: 0.02 }),
    ...stay(1300, 2200, 0.04),
    at(9000),
  ])
  const segments = tracks.flatMap(getSegments)
  assert.deepEqual(
    segments.map(({ kind, begin, end }) => [kind, begin, end]),
    [
      ['stop', 0, 900],
      ['move', 900, 1300],
      ['stop', 1300, 2200],
      ['gap', 2200, 9000],
    ],
  )
  assert.ok(Math.abs((segments[1]?.metres ?? 0) - 2772) < 5)
  const where = (time: number) => getPositionAt(tracks, segments, time)
  assert.deepEqual(where(1500), { kind: 'stop', stop: segments[2] })
  assert.equal(where(1000).kind, 'move')
  assert.deepEqual(where(5000), { kind: 'unknown', last: { time: 2200, latitude: 51.5, longitude: 0.04 } })
  assert.deepEqual(where(-1), { kind: 'unknown' })
  assert.equal(where(9000).kind, 'move')
  assert.equal(where(9001).kind, 'unknown', 'after the last position')
})

test('a typed time is found in many spellings, on the day that the track knows', () => {
  for (const text of ['15:00', '1500', '15h', '15h00', '15.00', '15', '3 pm', '3:00pm'])
    assert.equal(parseClock(text), 15 * 3600, text)
  assert.equal(parseClock('12:30 am'), 30 * 60)
  for (const text of ['', 'x', '25', '15:60', '13 pm', '0 am', '2026-11-25'])
    assert.equal(parseClock(text), undefined, text)
  const noon = new Date(2026, 10, 27, 12).getTime() / 1000
  const three = new Date(2026, 10, 26, 15).getTime() / 1000
  assert.equal(onShownDay(15 * 3600, noon, { begin: noon - 86_400, end: noon }), three)
  assert.equal(onShownDay(11 * 3600, noon, { begin: noon - 86_400, end: noon }), noon - 3600)
  assert.equal(onShownDay(15 * 3600, noon, { begin: noon - 3600, end: noon }), three + 86_400)
  const ticks = getTicks({ begin: noon - 60, end: noon + 6 * 3600 }, 8)
  assert.deepEqual([ticks.length, ticks[0]], [7, noon])
})

test('exported files hold every position, new segments at gaps and no formulas', () => {
  const tracks = getTracks([
    at(0, { device_reference: '<a&b>', altitude: 12 }),
    at(5000, { device_reference: '<a&b>', provider: '=cmd()' }),
  ])
  const gpx = getGpx(tracks)
  assert.match(gpx, /<name>&lt;a&amp;b&gt;<\/name>/)
  assert.equal(gpx.match(/<trkseg>/g)?.length, 2)
  assert.match(gpx, /<trkpt lat="51.5" lon="-0.1"><ele>12<\/ele><time>1970-01-01T00:00:00Z<\/time>/)
  const lines = pointsCsv(tracks, ',').split('\r\n')
  assert.equal(lines.length, 4)
  assert.ok(lines[2]?.includes("'=cmd()"))
})
