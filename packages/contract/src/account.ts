import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, stored, verdict } from './access.ts'
import { ADMIN_ACCOUNT, endpoints, get, post, put } from './endpoint.ts'
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

/** States of the search index: absent; in preparation or rebuild; complete; in deletion. */
export const CONTENT_INDEX_STATES = ['off', 'building', 'ready', 'erasing'] as const

/** Maximum number of reasons of an account. */
export const REASONS_LIMIT = 20
/** Daily number of a person's recordings or exports that raises an alert. */
const DayLimit = z.int().check(z.gte(1), z.lte(1_000_000))

/** Defaults of a person whose token names nothing else, and the networks of the account (spec section 3). */
export const AccountDefaultsInput = z.strictObject({
  user_group: GroupReference,
  role: z.nullable(RoleReference),
  /** Whether an empty role list from the identity provider gives `role`, as a missing one does. Absent: unchanged. */
  default_for_empty_roles: z.optional(z.boolean()),
  cidr_ranges: uniqueList(CidrRange, 0, 100),
  /** The contact for people without rights. */
  contact: z._default(z.nullable(text(1, 255)), null),
  /**
   * Whether the text of messages, notes, comments and file names is searchable (docs/search.md states the risks).
   * Absent: unchanged.
   */
  content_search: z.optional(z.boolean()),
  /**
   * Different recordings that a person plays or downloads, and lists that they export, per UTC day before security
   * staff get an alert. Absent: unchanged.
   */
  play_limit: z.optional(DayLimit),
  download_limit: z.optional(DayLimit),
  export_limit: z.optional(DayLimit),
  /** Whether each download and export requires a reason. Absent: unchanged. */
  asks_reason: z.optional(z.boolean()),
  /** Reasons to choose from; empty: free text. Absent: unchanged. */
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
  /** Progress of the search index. */
  content_index: z.strictObject({
    state: z.enum(CONTENT_INDEX_STATES),
    /** Number of indexed items; null for a reader of some payload types, who would learn of the others. */
    indexed: z.nullable(Count),
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
    summary: 'Show the public settings of an account to visitors',
    response: AccountMetadata,
    problems: ['not_found'],
  },
  readAccountDefaults: {
    ...get(ADMIN_ACCOUNT, 'account/defaults'),
    action: 'account.defaults:read',
    support: true,
    summary: 'Show the account defaults: group, role and networks',
    response: AccountDefaults,
    problems: ['not_found'],
  },
  saveAccountDefaults: {
    ...put(ADMIN_ACCOUNT, 'account/defaults'),
    action: 'account.defaults:update',
    powers: [ESCALATE],
    summary: 'Replace the account defaults',
    query: { confirm_lockout: z.optional(queryBoolean()) },
    body: AccountDefaultsInput,
    response: AccountDefaults,
    problems: ['already_exists', 'changed_meanwhile', 'locks_out', 'escalation'],
  },
  reviewAccountDefaults: {
    ...post(ADMIN_ACCOUNT, 'account/defaults/review'),
    action: 'account.defaults:update',
    summary: 'Preview the impact of new account defaults',
    body: AccountDefaultsInput,
    response: z.strictObject({ ...verdict, impact: AccessImpact }),
  },
})
