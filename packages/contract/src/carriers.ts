import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { ClientReference, CountryCode, EpochSeconds } from './scalars.ts'

export const Carrier = z.strictObject({
  carrier_name: z.string(),
  carrier_code: z.string(),
  first_seen: EpochSeconds,
  last_seen: EpochSeconds,
  clients: z.array(ClientReference),
})
export type Carrier = z.output<typeof Carrier>
export const Country = z.strictObject({
  /** ISO 3166-1 alpha-2; `003` (UN M.49): North America, where the country is not known. */
  country: z.string(),
  /** International calling code; null: the country has none. */
  country_code: z.nullable(CountryCode),
  country_name: z.string(),
  carriers: z.array(Carrier),
})
export type Country = z.output<typeof Country>

export const carrierEndpoints = endpoints({
  listCountries: {
    method: 'GET',
    portal: 'internal',
    path: 'countries',
    authentication: 'portal',
    action: 'internal.countries:list',
    concerns: 'account',
    summary: 'List the countries and carriers of devices',
    response: z.strictObject({ data: z.array(Country) }),
  },
})
