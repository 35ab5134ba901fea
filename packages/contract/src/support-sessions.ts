import * as z from 'zod/mini'
import { PortalActivity } from './activities.ts'
import { ADMIN_ACCOUNT, endpoints, get, INTERNAL } from './endpoint.ts'
import { PAYLOAD_TYPES } from './payload-types.ts'
import { SignatureOfFile } from './retention-certificates.ts'
import { ClientReference, Count, EpochSeconds } from './scalars.ts'
import { SupportAccess } from './support-access.ts'

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

/** Format of a report. The signature covers the canonical JSON (RFC 8785) of `report`. */
export const SUPPORT_REPORT_FORMAT = 'custodia.support/1'

/** What the provider's staff did under a request, signed: a file to keep. */
export const SupportReport = z.strictObject({
  report: z.strictObject({
    format: z.literal(SUPPORT_REPORT_FORMAT),
    client: ClientReference,
    issued_at: EpochSeconds,
    session: SupportSession,
  }),
  signature: SignatureOfFile,
})
export type SupportReport = z.output<typeof SupportReport>

export const supportSessionEndpoints = endpoints({
  readSupportSession: {
    ...get(ADMIN_ACCOUNT, 'supportaccess/{request_reference}/session'),
    action: 'supportaccess:read',
    summary: 'Show a support request with all steps of the provider’s staff',
    response: SupportSession,
    problems: ['not_found'],
  },
  readSupportReport: {
    ...get(ADMIN_ACCOUNT, 'supportaccess/{request_reference}/report'),
    action: 'supportaccess:read',
    summary: 'Sign a report of a support request with all steps of the provider’s staff',
    description:
      'Save the response as a file and verify it with `custodia certificate`, without this server.',
    response: SupportReport,
    problems: ['not_found', 'wrong_state'],
  },
})

export const internalSupportSessionEndpoints = endpoints({
  readSupportSessionOfClient: {
    ...get(INTERNAL, 'clients/{client}/supportaccess/{request_reference}/session'),
    action: 'internal.supportaccess:read',
    summary: 'Show a support request to a client with all steps of the provider’s staff',
    response: SupportSession,
    problems: ['not_found'],
  },
})
