import { feature, mesh } from 'topojson-client'
// Natural Earth, in the public domain.
import countriesUrl from 'world-atlas/countries-50m.json?url'
import placesUrl from './places.gen.json?url'
import { type Bounds, worldX, worldY, type Line, piecesOf } from './projection.ts'

/** Land or borders in map coordinates. */
export interface Shape extends Bounds {
  path: Path2D
}

/** The basemap, available offline. */
export interface Basemap {
  land: Shape[]
  borders: Path2D
  /** Largest first. */
  places: { names: string[]; xs: Float64Array; ys: Float64Array; populations: number[] }
}

type Fixture = Parameters<typeof mesh>[0]
interface Collection {
  features: {
    geometry: { type: 'Polygon'; coordinates: Line[] } | { type: 'MultiPolygon'; coordinates: Line[][] }
  }[]
}

interface PlacesFile {
  names: string[]
  longitudes: number[]
  latitudes: number[]
  populations: number[]
}

let loading: Promise<Basemap> | undefined

/** The basemap, fetched once. Throws on failure; the next call retries. */
export function loadBasemap(): Promise<Basemap> {
  loading ??= fetchBasemap().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function fetchBasemap(): Promise<Basemap> {
  const [fixture, places] = await Promise.all([read<Fixture>(countriesUrl), read<PlacesFile>(placesUrl)])
  const { land, countries } = fixture.objects as Record<string, never>
  const { features } = feature(fixture, land as never) as unknown as Collection
  const polygons = features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates : [geometry.coordinates],
  )
  const borders = new Path2D()
  for (const line of mesh(fixture, countries, (a, b) => a !== b).coordinates) trace(borders, line as Line)
  return {
    land: polygons.map((polygon) => shapeOf(polygon)),
    borders,
    places: {
      names: places.names,
      xs: Float64Array.from(places.longitudes, (each) => worldX(each / 1000)),
      ys: Float64Array.from(places.latitudes, (each) => worldY(each / 1000)),
      populations: places.populations,
    },
  }
}

async function read<T>(url: string): Promise<T> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`the map answered ${answer.status}`)
  return (await answer.json()) as T
}

function shapeOf(rings: Line[]): Shape {
  const path = new Path2D()
  const bounds = { left: 1, top: 1, right: 0, bottom: 0 }
  for (const piece of rings.flatMap(piecesOf)) trace(path, piece)
  for (const [longitude, latitude] of rings[0] ?? []) {
    const [x, y] = [worldX(longitude), worldY(latitude)]
    bounds.left = Math.min(bounds.left, x)
    bounds.right = Math.max(bounds.right, x)
    bounds.top = Math.min(bounds.top, y)
    bounds.bottom = Math.max(bounds.bottom, y)
  }
  return { path, ...bounds }
}

/** Skips line segments that cross the antimeridian. */
function trace(path: Path2D, line: Line): void {
  let before: number | undefined
  for (const [longitude, latitude] of line) {
    if (before === undefined || Math.abs(longitude - before) > 180)
      path.moveTo(worldX(longitude), worldY(latitude))
    else path.lineTo(worldX(longitude), worldY(latitude))
    before = longitude
  }
}
