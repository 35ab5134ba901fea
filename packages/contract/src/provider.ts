import * as z from 'zod/mini'
import { endpoints, get, INTERNAL } from './endpoint.ts'
import { ClientReference, Count, CountryCode, EpochSeconds, RoleReference, UserReference } from './scalars.ts'

/** One of the provider's own people. */
export const StaffMember = z.strictObject({
  user_reference: UserReference,
  roles: z.array(RoleReference),
  user_group: z.nullable(z.string()),
  /** Time of the newest session within thirty days. */
  last_seen: z.nullable(EpochSeconds),
  active_sessions: Count,
})
export type StaffMember = z.output<typeof StaffMember>

export const staffEndpoints = endpoints({
  listStaff: {
    ...get(INTERNAL, 'staff'),
    action: 'internal.staff:list',
    summary: 'List the provider\u2019s own people',
    response: z.strictObject({ data: z.array(StaffMember) }),
  },
})

const figure = {
  count: Count,
  size_mb: z.number(),
  clients: z.array(
    z.strictObject({ client: ClientReference, count: Count, size_mb: z.nullable(z.number()) }),
  ),
  updated_at: EpochSeconds,
}
const Named = z.array(z.strictObject({ name: z.string(), ...figure }))
/** Figures for the integrity check of the installation (spec section 3). */
export const Statistics = z.strictObject({
  log_groups: Named,
  tables: Named,
  buckets: Named,
  entities: z.array(z.strictObject({ entity: z.string(), ...figure })),
  /** By client and month (its first second, UTC): recordings made, and megabytes that arrived and are still stored. */
  growth: z.array(
    z.strictObject({
      client: ClientReference,
      months: z.array(z.strictObject({ start: EpochSeconds, recordings: Count, size_mb: z.number() })),
    }),
  ),
})
export type Statistics = z.output<typeof Statistics>

export const statisticsEndpoints = endpoints({
  readStatistics: {
    ...get(INTERNAL, 'statistics'),
    action: 'internal.statistics:read',
    summary: 'Show counts and sizes of the installation’s records',
    response: Statistics,
  },
})

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
    ...get(INTERNAL, 'countries'),
    action: 'internal.countries:list',
    summary: 'List the countries and carriers of devices',
    response: z.strictObject({ data: z.array(Country) }),
  },
})
