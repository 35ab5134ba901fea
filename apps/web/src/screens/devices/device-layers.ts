import type { LastPosition } from '@custodia/contract'
import type { FeatureCollection } from 'geojson'
import type { ExpressionSpecification } from 'maplibre-gl'
import { visible } from '../../ui/visible.ts'
import type { MapColours } from '../positions/map/colours.ts'
import { FONT, type MapContent } from '../positions/map/style.ts'

/** Age of a last position: up to an hour, up to a day, older. */
export type Age = 'fresh' | 'recent' | 'old'
export const AGES: readonly Age[] = ['fresh', 'recent', 'old']
const HOUR = 3600
const DAY = 24 * HOUR

/** @param now epoch seconds */
export function getAge({ timestamp }: Pick<LastPosition, 'timestamp'>, now: number): Age {
  const seconds = now - timestamp
  if (seconds <= HOUR) return 'fresh'
  return seconds <= DAY ? 'recent' : 'old'
}

/** States of devices on the map, the most urgent first. */
export const DRAWN_STATES = ['blocked', 'silent', 'alive', 'inactive', 'unknown', 'active'] as const
export type DrawnState = (typeof DRAWN_STATES)[number]

/** State of a device; unknown where the user does not see the device. */
export function getDrawnState({ device_state, silence }: LastPosition): DrawnState {
  if (device_state === undefined) return 'unknown'
  if (device_state === 'blocked') return 'blocked'
  if (device_state !== 'activated') return 'inactive'
  if (silence === null || silence === undefined) return 'active'
  return silence === 'silent_but_alive' ? 'alive' : 'silent'
}

/** Colour of the first state for which the condition holds. */
const getColour = (colours: MapColours, isOf: (state: DrawnState) => ExpressionSpecification) =>
  [
    'case',
    ...DRAWN_STATES.slice(0, -1).flatMap((state) => [isOf(state), colours[state]]),
    colours.active,
  ] as unknown as ExpressionSpecification

/** Last positions in the colours of the devices' states; near ones are a circle with their number, in the most urgent colour. */
export const DEVICES_CONTENT: MapContent = {
  sources: {
    devices: {
      cluster: true,
      clusterRadius: 44,
      clusterMaxZoom: 17,
      clusterProperties: Object.fromEntries(
        DRAWN_STATES.map((state) => [state, ['+', ['case', ['==', ['get', 'state'], state], 1, 0]]]),
      ),
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
        'circle-color': getColour(colours, (state) => ['>', ['get', state], 0]),
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
        'text-field': ['number-format', ['get', 'point_count'], { locale: document.documentElement.lang }],
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
        'circle-color': getColour(colours, (state) => ['==', ['get', 'state'], state]),
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
export const getHolder = ({ person_name, device_user_reference, device_reference }: LastPosition): string =>
  visible(person_name ?? device_user_reference ?? `…${device_reference.slice(-8)}`)

/** Devices as features, by their state. */
export const devicesData = (rows: readonly LastPosition[]): FeatureCollection => ({
  type: 'FeatureCollection',
  features: rows.map((row) => ({
    type: 'Feature',
    properties: { device_reference: row.device_reference, name: getHolder(row), state: getDrawnState(row) },
    geometry: { type: 'Point', coordinates: [row.longitude ?? 0, row.latitude ?? 0] },
  })),
})
