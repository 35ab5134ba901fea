import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { ClientReference, Count, EpochSeconds } from './scalars.ts'

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
})
export type Statistics = z.output<typeof Statistics>

export const statisticsEndpoints = endpoints({
  readStatistics: {
    method: 'GET',
    portal: 'internal',
    path: 'statistics',
    authentication: 'portal',
    action: 'internal.statistics:read',
    concerns: 'account',
    summary: 'Show counts and sizes of the installation’s records',
    response: Statistics,
  },
})
