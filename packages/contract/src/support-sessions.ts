import * as z from 'zod/mini'
import { PortalActivity } from './activities.ts'
import { ADMIN_ACCOUNT, endpoints, INTERNAL } from './endpoint.ts'
import { PAYLOAD_TYPES } from './payload-types.ts'
import { Count, EpochSeconds } from './scalars.ts'
import { bySupportRequest, SupportAccess } from './support-access.ts'

/** Maximum steps in a session's answer; the audit log has all. */
export const SUPPORT_STEPS = 1000

/** A request with all that the provider's staff did under it. */
export const SupportSession = z.strictObject({
  request: SupportAccess,
  /** Actions that support mode permits under the role at present. */
  actions: z.array(z.string()),
  payload_types: z.array(z.enum(PAYLOAD_TYPES)),
  /** When support mode started first; null: never. */
  started_at: z.nullable(EpochSeconds),
  /** Total seconds in support mode; a mode that staff did not end lasts until the access ends. */
  seconds: Count,
  step_count: Count,
  /**
   * The newest steps, oldest first: starts and ends of support mode, and its calls without background calls. The
   * provider receives them without names and facts of the client.
   */
  steps: z.array(PortalActivity),
})
export type SupportSession = z.output<typeof SupportSession>

export const supportSessionEndpoints = endpoints({
  readSupportSession: {
    method: 'GET',
    ...ADMIN_ACCOUNT,
    path: 'supportaccess/{request_reference}/session',
    action: 'supportaccess:read',
    summary: 'Show a support request with all steps of the provider’s staff',
    params: bySupportRequest,
    response: SupportSession,
    problems: ['not_found'],
  },
})

export const internalSupportSessionEndpoints = endpoints({
  readSupportSessionOfClient: {
    method: 'GET',
    ...INTERNAL,
    path: 'clients/{client}/supportaccess/{request_reference}/session',
    action: 'internal.supportaccess:read',
    summary: 'Show a support request to a client with all steps of the provider’s staff',
    params: bySupportRequest,
    response: SupportSession,
    problems: ['not_found'],
  },
})
