import type { mesh } from 'topojson-client'
import { type Places, type PlacesFile, readPlaces } from './places.ts'

export type Topology = Parameters<typeof mesh>[0]

/** The map's own data: places, and outlines of land and countries. */
interface MapData {
  places: Places
  outlines: Topology
}

let loading: Promise<MapData> | undefined

/** The data, fetched once in one file. Throws on failure; the next call retries. */
export function loadMapData(): Promise<MapData> {
  loading ??= fetchMapData().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function fetchMapData(): Promise<MapData> {
  // Not an import with `?url`: that would be a script of its own.
  const answer = await fetch(new URL('./map.gen.json', import.meta.url))
  if (!answer.ok) throw new Error(`the map's data answered ${answer.status}`)
  const { places, outlines } = (await answer.json()) as { places: PlacesFile; outlines: Topology }
  return { places: readPlaces(places), outlines }
}
