import type { GpsPoint } from '@custodia/contract'
import { BYTE_ORDER_MARK, csvLines, csvTime, type CsvValue } from '../../components/lists/csv.ts'
import type { Track } from './track.ts'

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Tracks as GPX 1.1 (https://www.topografix.com/GPX/1/1/): one track per device, a new segment at each gap. */
export function getGpx(tracks: readonly Track[]): string {
  const parts = [
    '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Custodia" xmlns="http://www.topografix.com/GPX/1/1">\n',
  ]
  for (const { device_reference, points, isAfterGap } of tracks) {
    parts.push(`<trk><name>${escaped(device_reference)}</name><trkseg>\n`)
    for (const [i, point] of points.entries()) {
      if (isAfterGap[i]) parts.push('</trkseg><trkseg>\n')
      const height = point.altitude === null ? '' : `<ele>${point.altitude}</ele>`
      parts.push(
        `<trkpt lat="${point.latitude}" lon="${point.longitude}">${height}<time>${csvTime(point.timestamp)}</time></trkpt>\n`,
      )
    }
    parts.push('</trkseg></trk>\n')
  }
  return [...parts, '</gpx>\n'].join('')
}

/** CSV columns with API field names, the same in every language. */
const COLUMNS: readonly [string, (point: GpsPoint) => CsvValue][] = [
  ['timestamp', ({ timestamp }) => csvTime(timestamp)],
  ['latitude', ({ latitude }) => latitude],
  ['longitude', ({ longitude }) => longitude],
  ['accuracy', ({ accuracy }) => accuracy],
  ['altitude', ({ altitude }) => altitude],
  ['provider', ({ provider }) => provider],
  ['timezone', ({ timezone }) => timezone],
  ['device_reference', (point) => point.device_reference],
  ['device_user_reference', (point) => point.device_user_reference],
  ['group', ({ group }) => group],
  ['gps_reference', ({ gps_reference }) => gps_reference],
]

/** Positions as a CSV file, one per line, by time. */
export const pointsCsv = (tracks: readonly Track[], separator: string): string =>
  BYTE_ORDER_MARK +
  csvLines(
    [
      COLUMNS.map(([name]) => name),
      ...tracks.flatMap(({ points }) => points.map((point) => COLUMNS.map(([, value]) => value(point)))),
    ],
    separator,
  )
