import { countryName, type Carrier, type Country } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import type { Handlers } from '../http/context.ts'
import { type StoredSighting, callingCodeOfCountry, getCarrierCode, listSightings } from './store.ts'

/** Route of countries and carriers of all clients. */
export const carrierRoutes = (ctx: AppContext): Handlers<'listCountries'> => ({
  listCountries: async () => ({ data: getCountries(await listSightings(ctx.db)) }),
})

/** Sightings by country and carrier, by name. Spellings of one carrier are merged under the first. */
export function getCountries(sightings: readonly StoredSighting[]): Country[] {
  const countries = new Map<string, Map<string, Carrier>>()
  for (const { client, country, carrier_name, first_seen, last_seen } of sightings) {
    const carriers = countries.get(country) ?? new Map<string, Carrier>()
    countries.set(country, carriers)
    const carrier_code = getCarrierCode(carrier_name)
    const known = carriers.get(carrier_code)
    carriers.set(carrier_code, {
      carrier_name: known?.carrier_name ?? carrier_name,
      carrier_code,
      first_seen: Math.min(known?.first_seen ?? first_seen, first_seen),
      last_seen: Math.max(known?.last_seen ?? last_seen, last_seen),
      clients: [...new Set([...(known?.clients ?? []), client])].sort(),
    })
  }
  return [...countries]
    .map(([country, carriers]) => ({
      country,
      country_code: callingCodeOfCountry(country) ?? null,
      country_name: countryName(country, 'en-GB'),
      carriers: [...carriers.values()].sort((a, b) => a.carrier_name.localeCompare(b.carrier_name, 'en')),
    }))
    .sort((a, b) => a.country_name.localeCompare(b.country_name, 'en'))
}
