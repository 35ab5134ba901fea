import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, verdict, stored } from './access.ts'
import { endpoints } from './endpoint.ts'
import { inClient } from './paging.ts'
import {
  AccessReason,
  CidrRange,
  ClientReference,
  Count,
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

/** Of the index of words: there is none; it is being made, or made anew; it has everything; it is being erased. */
export const CONTENT_INDEX_STATES = ['off', 'building', 'ready', 'erasing'] as const

/** Reasons that an account keeps at most. */
export const REASONS_LIMIT = 20
/** From how many a day on an alert tells of what a person was handed. */
const DayLimit = z.int().check(z.gte(1), z.lte(1_000_000))

/** What somebody gets whose token says nothing else, and the networks of the account (spec section 3). */
export const AccountDefaultsInput = z.strictObject({
  user_group: GroupReference,
  role: z.nullable(RoleReference),
  /** Whether an empty list of roles from the identity provider gives `role`, as a missing one does; else it is no role. As it is unless told. */
  default_for_empty_roles: z.optional(z.boolean()),
  cidr_ranges: uniqueList(CidrRange, 0, 100),
  /** Whom people ask who may do nothing yet. */
  contact: z._default(z.nullable(text(1, 255)), null),
  /** Whether words of messages, notes, comments and file names can be searched (docs/search.md says what that gives away); as it is unless told. */
  content_search: z.optional(z.boolean()),
  /** Different recordings that a person plays, or downloads, and lists that they export, on a day (UTC) before security staff is told; as they are unless told. */
  play_limit: z.optional(DayLimit),
  download_limit: z.optional(DayLimit),
  export_limit: z.optional(DayLimit),
  /** Whether a reason is asked for each download and export; as it is unless told. */
  asks_reason: z.optional(z.boolean()),
  /** The reasons there are to choose from; none: people say it in their own words. As they are unless told. */
  reasons: z.optional(uniqueList(AccessReason, 0, REASONS_LIMIT)),
})
export type AccountDefaultsInput = z.output<typeof AccountDefaultsInput>
export const AccountDefaults = z.strictObject({
  ...AccountDefaultsInput.def.shape,
  default_for_empty_roles: z.boolean(),
  content_search: z.boolean(),
  play_limit: DayLimit,
  download_limit: DayLimit,
  export_limit: DayLimit,
  asks_reason: z.boolean(),
  reasons: z.array(AccessReason),
  /** How far the index of words is. */
  content_index: z.strictObject({
    state: z.enum(CONTENT_INDEX_STATES),
    /** Items whose words are in it. */
    indexed: Count,
  }),
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
    support: true,
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
    response: z.strictObject({ ...verdict, impact: AccessImpact }),
  },
})
