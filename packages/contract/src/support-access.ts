import * as z from 'zod/mini'
import { ADMIN_ACCOUNT, del, endpoints, get, INTERNAL, getPage, pageQuery, post, put } from './endpoint.ts'
import {
  authors,
  ClientReference,
  EpochSeconds,
  prose,
  RoleReference,
  Ulid,
  uniqueList,
  UserReference,
} from './scalars.ts'

/** Spelled as in spec section 4. */
export const APPROVAL_STATES = ['pending', 'canceled', 'approved', 'rejected', 'revoked', 'expired'] as const
export const ApprovalState = z.enum(APPROVAL_STATES)
export type ApprovalState = z.output<typeof ApprovalState>

/** Longest approval, in days (reading-the-spec). */
export const SUPPORT_ACCESS_DAYS = 7

/** Latest requested expiry, in days from the request; the decision can wait until then. */
export const SUPPORT_REQUEST_DAYS = 30

/** A request of the provider's staff to act within a client, with the client's decision. */
export const SupportAccess = z.strictObject({
  request_reference: Ulid,
  client: ClientReference,
  /** Role of the client, or of the system, under which staff would act. */
  role: RoleReference,
  request_description: prose(1, 2000),
  requested_expiry: EpochSeconds,
  requested_by: UserReference,
  /** Display name of the requester at that time; null: not known. */
  requester_name: z.nullable(z.string()),
  requested_at: EpochSeconds,
  approval_state: ApprovalState,
  approval_expiry: z.nullable(EpochSeconds),
  ...authors({ approved_by: z.nullable(z.string()) }),
  rejection_reason: z.nullable(z.string()),
  updated_at: EpochSeconds,
  updated_by: z.string(),
})
export type SupportAccess = z.output<typeof SupportAccess>

export const SupportAccessRequest = z.strictObject({
  role: RoleReference,
  request_description: prose(10, 2000),
  requested_expiry: EpochSeconds,
})
export type SupportAccessRequest = z.output<typeof SupportAccessRequest>

export const SupportAccessDecision = z.discriminatedUnion('approval_state', [
  z.strictObject({ approval_state: z.literal('approved'), approval_expiry: EpochSeconds }),
  z.strictObject({ approval_state: z.literal('rejected'), rejection_reason: prose(3, 2000) }),
  z.strictObject({ approval_state: z.literal('revoked') }),
])
export type SupportAccessDecision = z.output<typeof SupportAccessDecision>

/** Parameters that name a request. */
export const bySupportRequest = z.object({ client: ClientReference, request_reference: Ulid })
const filters = { states: z.optional(uniqueList(ApprovalState, 1, APPROVAL_STATES.length)) }

export const supportAccessEndpoints = endpoints({
  listSupportAccess: {
    ...get(ADMIN_ACCOUNT, 'supportaccess'),
    action: 'supportaccess:list',
    summary: 'List the provider’s support requests to the client, newest first',
    query: { ...pageQuery, ...filters },
    response: getPage(SupportAccess),
  },
  readSupportAccess: {
    ...get(ADMIN_ACCOUNT, 'supportaccess/{request_reference}'),
    action: 'supportaccess:read',
    summary: 'Show a support request',
    response: SupportAccess,
    problems: ['not_found'],
  },
  decideSupportAccess: {
    ...put(ADMIN_ACCOUNT, 'supportaccess/{request_reference}'),
    action: 'supportaccess:decide',
    summary: 'Approve, reject or revoke a support request',
    body: SupportAccessDecision,
    response: SupportAccess,
    problems: ['not_found', 'wrong_state'],
  },
})

/** Calls of the provider: staff request, withdraw, start and end support mode. */
export const internalSupportEndpoints = endpoints({
  listSupportAccessOfClient: {
    ...get(INTERNAL, 'clients/{client}/supportaccess'),
    action: 'internal.supportaccess:list',
    summary: 'List the support requests to one client',
    query: { ...pageQuery, ...filters },
    response: getPage(SupportAccess),
    problems: ['not_found'],
  },
  requestSupportAccess: {
    ...post(INTERNAL, 'clients/{client}/supportaccess'),
    action: 'internal.supportaccess:request',
    summary: 'Request access to a client under one of its roles',
    body: SupportAccessRequest,
    response: SupportAccess,
    problems: ['not_found'],
  },
  readSupportAccessOfClient: {
    ...get(INTERNAL, 'clients/{client}/supportaccess/{request_reference}'),
    action: 'internal.supportaccess:read',
    summary: 'Show a support request to a client',
    response: SupportAccess,
    problems: ['not_found'],
  },
  cancelSupportAccess: {
    ...del(INTERNAL, 'clients/{client}/supportaccess/{request_reference}'),
    action: 'internal.supportaccess:cancel',
    summary: 'Withdraw a pending support request',
    response: SupportAccess,
    problems: ['not_found', 'wrong_state'],
  },
  listSupportAccessByState: {
    ...get(INTERNAL, 'supportaccess/{approval_status}'),
    action: 'internal.supportaccess:list',
    summary: 'List the support requests to all clients by state',
    params: { approval_status: ApprovalState },
    query: pageQuery,
    response: getPage(SupportAccess),
  },
  startSupportMode: {
    ...post(INTERNAL, 'clients/{client}/supportaccess/{request_reference}/start'),
    action: 'internal.support_mode:start',
    summary: 'Record the start of support mode in both audit logs',
    response: SupportAccess,
    problems: ['not_found', 'support_mode_ended'],
  },
  endSupportMode: {
    ...post(INTERNAL, 'clients/{client}/supportaccess/{request_reference}/end'),
    action: 'internal.support_mode:end',
    summary: 'Record the end of support mode in both audit logs',
    response: SupportAccess,
    problems: ['not_found'],
  },
})
