import type { GpsPoint } from '@custodia/contract'
import type { FeatureCollection } from 'geojson'
import { visible } from '../../ui/visible.ts'
import { FONT, type MapContent } from '../positions/map/style.ts'

/** Age of a last position: up to an hour, up to a day, older. */
export type Age = 'fresh' | 'recent' | 'old'
export const AGES: readonly Age[] = ['fresh', 'recent', 'old']
const HOUR = 3600
const DAY = 24 * HOUR

/** @param now epoch seconds */
export function ageOf({ timestamp }: Pick<GpsPoint, 'timestamp'>, now: number): Age {
  const seconds = now - timestamp
  if (seconds <= HOUR) return 'fresh'
  return seconds <= DAY ? 'recent' : 'old'
}

/** Last positions in the colours of their age; near ones are a circle with their number, in the oldest colour. */
export const DEVICES_CONTENT: MapContent = {
  sources: {
    devices: {
      cluster: true,
      clusterRadius: 44,
      clusterMaxZoom: 17,
      clusterProperties: {
        old: ['+', ['case', ['==', ['get', 'age'], 'old'], 1, 0]],
        recent: ['+', ['case', ['==', ['get', 'age'], 'recent'], 1, 0]],
      },
    },
    picked: {},
  },
  clickable: ['groups', 'devices'],
  layers: (colours) => [
    {
      id: 'groups',
      type: 'circle',
      source: 'devices',
      filter: ['has', 'point_count'],
      paint: {
        'circle-color': [
          'case',
          ['>', ['get', 'old'], 0],
          colours.old,
          ['>', ['get', 'recent'], 0],
          colours.recent,
          colours.fresh,
        ],
        'circle-radius': ['step', ['get', 'point_count'], 14, 10, 18, 100, 23, 1000, 28],
        'circle-stroke-color': colours.halo,
        'circle-stroke-width': 2,
      },
    },
    {
      id: 'counts',
      type: 'symbol',
      source: 'devices',
      filter: ['has', 'point_count'],
      layout: {
        'text-field': ['to-string', ['get', 'point_count']],
        'text-font': FONT,
        'text-size': 12,
        'text-allow-overlap': true,
      },
      paint: { 'text-color': colours.halo },
    },
    {
      id: 'picked',
      type: 'circle',
      source: 'picked',
      paint: {
        'circle-radius': 13,
        'circle-opacity': 0,
        'circle-stroke-color': colours.marker,
        'circle-stroke-width': 3,
      },
    },
    {
      id: 'devices',
      type: 'circle',
      source: 'devices',
      filter: ['!', ['has', 'point_count']],
      paint: {
        'circle-color': [
          'match',
          ['get', 'age'],
          'fresh',
          colours.fresh,
          'recent',
          colours.recent,
          colours.old,
        ],
        'circle-radius': 7,
        'circle-stroke-color': colours.halo,
        'circle-stroke-width': 2,
      },
    },
    {
      id: 'names',
      type: 'symbol',
      source: 'devices',
      filter: ['!', ['has', 'point_count']],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': FONT,
        'text-size': 12,
        'text-variable-anchor': ['left', 'right', 'top', 'bottom'],
        'text-radial-offset': 0.9,
      },
      paint: { 'text-color': colours.label, 'text-halo-color': colours.halo, 'text-halo-width': 1.5 },
    },
  ],
}

/** Name of who holds a device. */
export const holderOf = ({ person_name, device_user_reference, device_reference }: GpsPoint): string =>
  visible(person_name ?? device_user_reference ?? `…${device_reference.slice(-8)}`)

/** Devices as features, by their age. */
export const devicesData = (rows: readonly GpsPoint[], now: number): FeatureCollection => ({
  type: 'FeatureCollection',
  features: rows.map((row) => ({
    type: 'Feature',
    properties: { device_reference: row.device_reference, name: holderOf(row), age: ageOf(row, now) },
    geometry: { type: 'Point', coordinates: [row.longitude ?? 0, row.latitude ?? 0] },
  })),
})
