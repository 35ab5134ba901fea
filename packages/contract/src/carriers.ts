import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { ClientReference, EpochSeconds } from './scalars.ts'

export const Carrier = z.strictObject({
  carrier_name: z.string(),
  carrier_code: z.string(),
  first_seen: EpochSeconds,
  last_seen: EpochSeconds,
  clients: z.array(ClientReference),
})
export type Carrier = z.output<typeof Carrier>
export const Country = z.strictObject({
  /** International calling code. */
  country_code: z.int().check(z.gte(1), z.lte(99)),
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
    summary: 'Countries and carriers from which phones recorded or reported',
    response: z.strictObject({ data: z.array(Country) }),
  },
})
