import * as z from 'zod/mini'
import { ADMIN_GROUPS, endpoints, get } from './endpoint.ts'
import { Service } from './payload-types.ts'
import { Count, EpochSeconds } from './scalars.ts'

const Distribution = z.array(z.strictObject({ version: z.string(), count: Count }))

/** What an administrator of a new client sets up, in this order. */
export const FIRST_STEPS = [
  'identity',
  'groups',
  'roles',
  'people',
  'device_users',
  'devices',
  'recordings',
  'retention',
  'alert_mails',
  'transfers',
] as const
export type FirstStep = (typeof FIRST_STEPS)[number]
/** A step that many accounts do not need. */
export const OPTIONAL_STEP: FirstStep = 'transfers'

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
  /** Steps of the first hour that are not done; null: no right to administer the account. */
  open_steps: z.nullable(z.array(z.enum(FIRST_STEPS))),
  /** Number of pending devices that the caller may confirm; null: no right. */
  waiting_devices: z.nullable(Count),
  /** Number of proposals that the caller may approve; null: no right. */
  waiting_proposals: z.nullable(Count),
  /** Number of destruction lists that wait for their release; null: no right. */
  waiting_destructions: z.nullable(Count),
  /** Number of open data subject requests, and of those past their date; null: no right. */
  data_requests: z.nullable(z.strictObject({ open: Count, overdue: Count })),
  /** Number of open capture gaps in the caller's groups, each with all its services; null: no right. */
  capture_gaps: z.nullable(Count),
  /** Payloads that did not arrive intact, by service, within the caller's reach; null: no right. */
  faults: z.nullable(
    z.array(
      z.strictObject({
        service: Service,
        /** Not as the device sealed them. */
        altered: Count,
        quarantined: Count,
        /** Failed for another reason. */
        failed: Count,
      }),
    ),
  ),
  /** Silent devices at the last check. */
  silences: z.strictObject({ silent: Count, long_silent: Count, silent_but_alive: Count }),
  app_versions: Distribution,
  os_versions: Distribution,
})
export type Dashboard = z.output<typeof Dashboard>

export const dashboardEndpoints = endpoints({
  readDashboard: {
    ...get(ADMIN_GROUPS, 'dashboard'),
    action: 'dashboard:read',
    support: true,
    summary: 'Count devices, device users, versions in use, and what waits for a person',
    response: Dashboard,
  },
})
