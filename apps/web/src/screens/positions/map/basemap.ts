import type { Locale } from '@custodia/contract'
import type { Feature, FeatureCollection, MultiLineString, Position } from 'geojson'
import { feature, mesh } from 'topojson-client'
import { cutLine, getPieces } from './date-line.ts'
import { loadMapData, getName, type Topology } from './places.ts'

/** Data of the map's own sources, available offline. */
export interface Basemap {
  land: FeatureCollection
  borders: Feature
  places: FeatureCollection
}

interface Collection {
  features: {
    geometry:
      | { type: 'Polygon'; coordinates: Position[][] }
      | { type: 'MultiPolygon'; coordinates: Position[][][] }
  }[]
}

let known: { topology: Topology; outlines: Pick<Basemap, 'land' | 'borders'> } | undefined

/** The basemap with names in a language. Throws on failure; the next call retries. */
export async function loadBasemap(locale: Locale): Promise<Basemap> {
  const { places, outlines: topology } = await loadMapData()
  if (known?.topology !== topology) known = { topology, outlines: getOutlines(topology) }
  const features = places.names.map((_, i) => ({
    type: 'Feature' as const,
    properties: { name: getName(places, i, locale), population: places.populations[i] },
    geometry: { type: 'Point' as const, coordinates: [places.longitudes[i] ?? 0, places.latitudes[i] ?? 0] },
  }))
  return { ...known.outlines, places: { type: 'FeatureCollection', features } }
}

function getOutlines(topology: Topology): Pick<Basemap, 'land' | 'borders'> {
  const { land, countries } = topology.objects as Record<string, never>
  const { features } = feature(topology, land as never) as unknown as Collection
  const polygons = features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates : [geometry.coordinates],
  )
  const borders = mesh(topology, countries, (a, b) => a !== b) as MultiLineString
  return {
    land: {
      type: 'FeatureCollection',
      features: polygons.map((rings) => ({
        type: 'Feature',
        properties: {},
        geometry: { type: 'MultiPolygon', coordinates: getPolygons(rings) },
      })),
    },
    borders: {
      type: 'Feature',
      properties: {},
      geometry: { ...borders, coordinates: borders.coordinates.flatMap(cutLine) },
    },
  }
}

/** A polygon that crosses the date line is drawn as several; such polygons have no holes. */
function getPolygons([outer = [], ...holes]: Position[][]): Position[][][] {
  const pieces = getPieces(outer)
  return pieces.length === 1 ? [[outer, ...holes]] : pieces.map((piece) => [[...piece, piece[0] ?? []]])
}
