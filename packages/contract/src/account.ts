import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, judgement, stored } from './access.ts'
import { endpoints } from './endpoint.ts'
import { inClient } from './paging.ts'
import {
  CidrRange,
  ClientReference,
  GroupReference,
  queryBoolean,
  RoleReference,
  text,
  uniqueList,
} from './scalars.ts'

export const AccountMetadata = z.strictObject({
  client: ClientReference,
  client_name: z.string(),
  terms_version: z.string(),
  /** False on an installation without malware scanner; the portal says so. */
  has_scanner: z.boolean(),
  has_transcoder: z.boolean(),
})
export type AccountMetadata = z.output<typeof AccountMetadata>

/** What somebody gets whose token says nothing else, and the networks of the account (spec section 3). */
export const AccountDefaultsInput = z.strictObject({
  user_group: GroupReference,
  role: z.nullable(RoleReference),
  cidr_ranges: uniqueList(CidrRange, 0, 100),
  /** Whom people ask who may do nothing yet. */
  contact: z._default(z.nullable(text(1, 255)), null),
  /** Whether phones must have a key of their own; as it is unless told. */
  keys_required: z.optional(z.boolean()),
})
export type AccountDefaultsInput = z.output<typeof AccountDefaultsInput>
export const AccountDefaults = z.strictObject({
  ...AccountDefaultsInput.def.shape,
  keys_required: z.boolean(),
  ...stored,
})
export type AccountDefaults = z.output<typeof AccountDefaults>

export const accountEndpoints = endpoints({
  readAccountMetadata: {
    method: 'GET',
    portal: 'admin',
    path: 'account/metadata',
    authentication: 'none',
    summary: 'What a visitor may know about an account before signing in',
    params: inClient,
    response: AccountMetadata,
    problems: ['not_found'],
  },
  readAccountDefaults: {
    method: 'GET',
    portal: 'admin',
    path: 'account/defaults',
    authentication: 'portal',
    action: 'account.defaults:read',
    concerns: 'account',
    summary: 'Group, role and networks that hold where nothing else is said',
    params: inClient,
    response: AccountDefaults,
    problems: ['not_found'],
  },
  saveAccountDefaults: {
    method: 'PUT',
    portal: 'admin',
    path: 'account/defaults',
    authentication: 'portal',
    action: 'account.defaults:update',
    concerns: 'account',
    powers: [ESCALATE],
    summary: 'Replaces the account defaults',
    params: inClient,
    query: { confirm_lockout: z.optional(queryBoolean()) },
    body: AccountDefaultsInput,
    response: AccountDefaults,
    problems: ['already_exists', 'changed_meanwhile', 'locks_out', 'escalation'],
  },
  reviewAccountDefaults: {
    method: 'POST',
    portal: 'admin',
    path: 'account/defaults/review',
    authentication: 'portal',
    action: 'account.defaults:update',
    concerns: 'account',
    summary: 'What saving the defaults would mean, without saving them',
    params: inClient,
    body: AccountDefaultsInput,
    response: z.strictObject({ ...judgement, impact: AccessImpact }),
  },
})
