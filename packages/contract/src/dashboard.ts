import * as z from 'zod/mini'
import { ADMIN_GROUPS, endpoints } from './endpoint.ts'
import { ClientReference, Count, EpochSeconds } from './scalars.ts'

const Distribution = z.array(z.strictObject({ version: z.string(), count: Count }))

/** Counts and distributions of the fleet (spec section 2). */
export const Dashboard = z.strictObject({
  /** Last visit before this session; null on the first visit. */
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
  /** Number of pending devices that the caller may confirm; null: no right. */
  waiting_devices: z.nullable(Count),
  /** Number of proposals that the caller may approve; null: no right. */
  waiting_proposals: z.nullable(Count),
  /** Silent devices at the last check. */
  silences: z.strictObject({ silent: Count, long_silent: Count, silent_but_alive: Count }),
  app_versions: Distribution,
  os_versions: Distribution,
})
export type Dashboard = z.output<typeof Dashboard>

export const dashboardEndpoints = endpoints({
  readDashboard: {
    method: 'GET',
    ...ADMIN_GROUPS,
    path: 'dashboard',
    action: 'dashboard:read',
    support: true,
    summary: 'Count devices and device users, and the versions in use',
    params: z.object({ client: ClientReference }),
    response: Dashboard,
  },
})
