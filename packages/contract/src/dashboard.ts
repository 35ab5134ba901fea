import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { ClientReference, Count, EpochSeconds } from './scalars.ts'

const Distribution = z.array(z.strictObject({ version: z.string(), count: Count }))

/** Counts and distributions of the fleet (spec section 2). */
export const Dashboard = z.strictObject({
  /** When the caller was here before this session; null on the first visit. */
  last_visit_at: z.nullable(EpochSeconds),
  devices: z.strictObject({
    activated: Count,
    pending: Count,
    deactivated: Count,
    legacyActivated: Count,
    legacyDeactivated: Count,
  }),
  device_users: z.strictObject({
    onboarded: Count,
    offboarded: Count,
    legacyOnboarded: Count,
    legacyOffboarded: Count,
  }),
  /** Phones of which the caller may decide whose they are; null: of none. */
  waiting_devices: z.nullable(Count),
  /** Acts that wait for a second person; null: the caller cannot be that person. */
  waiting_proposals: z.nullable(Count),
  /** Phones that should record and are not heard of, as they were found last. */
  silences: z.strictObject({ silent: Count, long_silent: Count, silent_but_alive: Count }),
  app_versions: Distribution,
  os_versions: Distribution,
})
export type Dashboard = z.output<typeof Dashboard>

export const dashboardEndpoints = endpoints({
  readDashboard: {
    method: 'GET',
    portal: 'admin',
    path: 'dashboard',
    authentication: 'portal',
    action: 'dashboard:read',
    concerns: 'groups',
    support: true,
    summary: 'Counts of devices and device users, and the versions in use',
    params: z.object({ client: ClientReference }),
    response: Dashboard,
  },
})
