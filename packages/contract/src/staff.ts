import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { Count, EpochSeconds, RoleReference, UserReference } from './scalars.ts'

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
    method: 'GET',
    portal: 'internal',
    path: 'staff',
    authentication: 'portal',
    action: 'internal.staff:list',
    concerns: 'account',
    summary: 'List the provider\u2019s own people',
    response: z.strictObject({ data: z.array(StaffMember) }),
  },
})
