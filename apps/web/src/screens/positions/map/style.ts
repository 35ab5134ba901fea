import type { MAP_SOURCES } from '@custodia/contract'
import type { FeatureCollection } from 'geojson'
import type { GeoJSONSourceSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl'
import type { MapColours } from './colours.ts'

/** What a page draws on the map. Its data follow separately, because they change more often. */
export interface MapContent {
  /** Sources by id, with options such as clusters. */
  sources: Readonly<Record<string, Omit<GeoJSONSourceSpecification, 'type' | 'data'>>>
  layers: (colours: MapColours) => LayerSpecification[]
  /** Layers whose features can be clicked. */
  clickable?: readonly string[]
}

/** Fonts of labels, drawn by the browser. */
export const FONT = ['Inter Variable', 'sans-serif']
/** Font of place names: the system's, because the portal's loads a further file for names such as `İzmir`. */
export const PLACE_FONT = ['sans-serif']

const NOTHING: FeatureCollection = { type: 'FeatureCollection', features: [] }

const BASE_SOURCES = { land: {}, borders: {}, places: {} } satisfies MapContent['sources']

/** The offline map: land, borders and place names. */
export const offlineStyle = (colours: MapColours): StyleSpecification => ({
  version: 8,
  sources: getSources(BASE_SOURCES),
  layers: [
    { id: 'water', type: 'background', paint: { 'background-color': colours.water } },
    { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': colours.land } },
    { id: 'coast', type: 'line', source: 'land', paint: { 'line-color': colours.border } },
    { id: 'borders', type: 'line', source: 'borders', paint: { 'line-color': colours.border } },
    {
      id: 'places',
      type: 'symbol',
      source: 'places',
      // Each zoom level halves the least population in thousands.
      filter: ['>=', ['get', 'population'], ['/', 20_000, ['^', 2, ['+', ['zoom'], 2.5]]]],
      layout: {
        'icon-image': 'place',
        'text-field': ['get', 'name'],
        'text-font': PLACE_FONT,
        'text-size': 12,
        'text-anchor': 'bottom',
        'text-offset': [0, -0.2],
        'text-padding': 6,
        'symbol-sort-key': ['-', 0, ['get', 'population']],
      },
      paint: { 'text-color': colours.label, 'text-halo-color': colours.halo, 'text-halo-width': 1.5 },
    },
  ],
})

/** A configured map with streets. */
export interface Streets {
  source: (typeof MAP_SOURCES)[number]
  /** Of pictures: with `{z}`, `{x}` and `{y}`. */
  address: string
  attribution: string
}

/** Adds pictures of 256 pixels: a failed one leaves the offline map visible. */
export const withTiles = (
  base: StyleSpecification,
  from: { tiles: string[] } | { url: string },
): StyleSpecification => ({
  ...base,
  sources: { ...base.sources, streets: { type: 'raster', tileSize: 256, ...from } },
  layers: [...base.layers, { id: 'streets', type: 'raster', source: 'streets' }],
})

/** Adds a page's sources and layers on top of a style. */
export const withContent = (
  base: StyleSpecification,
  content: MapContent,
  colours: MapColours,
): StyleSpecification => ({
  ...base,
  sources: { ...base.sources, ...getSources(content.sources) },
  layers: [...base.layers, ...content.layers(colours)],
})

const getSources = (options: MapContent['sources']): StyleSpecification['sources'] =>
  Object.fromEntries(
    Object.entries(options).map(([id, each]) => [id, { ...each, type: 'geojson', data: NOTHING }]),
  )
