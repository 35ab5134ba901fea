import type { Locale } from '@custodia/contract'
import type { mesh } from 'topojson-client'

/** The file that the build writes from GeoNames. */
interface PlacesFile {
  names: string[]
  /** Portuguese names by index, where they differ. */
  portuguese: Record<string, string>
  /** Degrees in thousandths. */
  longitudes: number[]
  latitudes: number[]
  /** Thousands of inhabitants. */
  populations: number[]
  /** ISO 3166 code and number of places, in the order of the names. */
  countries: [code: string, count: number][]
}

/** Places of 5,000 inhabitants or more, and parts of cities. */
export interface Places extends Omit<PlacesFile, 'countries'> {
  /** Country code of each place. */
  countries: string[]
}

/** Places of the file, in degrees. */
export const readPlaces = (file: PlacesFile): Places => ({
  ...file,
  longitudes: file.longitudes.map((each) => each / 1000),
  latitudes: file.latitudes.map((each) => each / 1000),
  countries: file.countries.flatMap(([code, count]) => Array<string>(count).fill(code)),
})

/** Name of a place in a language. */
export const getName = ({ names, portuguese }: Places, index: number, locale: Locale): string =>
  (locale === 'pt-BR' ? portuguese[index] : undefined) ?? names[index] ?? ''

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
