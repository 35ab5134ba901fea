import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, verdict } from './access.ts'
import { ADMIN_ACCOUNT, endpoints, get, INTERNAL, post, put } from './endpoint.ts'
import { ProposalAnswer } from './proposed.ts'
import {
  authors,
  ClientReference,
  Count,
  EpochSeconds,
  GroupReference,
  queryBoolean,
  RoleReference,
  text,
  uniqueList,
} from './scalars.ts'

/** Maximum of rules in a mapping and of values in a claim. Microsoft Entra also omits longer lists of groups. */
export const CLAIM_LIMITS = { rules: 100, values: 200, token: 65_536 } as const

/** Name of a claim, or a path to it with dots: `groups`, `realm_access.roles`, `https://example.com/roles`. */
const ClaimName = text(1, 255)

/** Roles and groups that a person gets from one claim value, such as a group of the provider. */
export const ClaimRule = z.strictObject({
  value: text(1, 255),
  roles: uniqueList(RoleReference, 0, 10),
  /** Groups that the value restricts the person to; several values add up. */
  groups: uniqueList(GroupReference, 0, 20),
  /** The value removes the restriction to groups, regardless of other values. */
  all_groups: z._default(z.boolean(), false),
})
export type ClaimRule = z.output<typeof ClaimRule>

/** Source of roles and groups: claims of the identity provider, or assignment in the portal. */
export const ROLES_FROM = ['claims', 'portal'] as const

/** Claim mapping of a client's identity provider. */
export const ClaimMapping = z.strictObject({
  /** With `portal`, claims identify the person and give no roles or groups. */
  roles_from: z._default(z.enum(ROLES_FROM), 'claims'),
  /** Claim that identifies the person. If a token lacks the default claim, `sub` applies. */
  user_reference: ClaimName,
  display_name: ClaimName,
  /** Claims with the provider's roles and groups; both may be the same claim. */
  roles: ClaimName,
  groups: ClaimName,
  /** The person's own group. */
  user_group: ClaimName,
  /** Whether values without a rule are names of roles and groups; else they give nothing. */
  accepts_names: z.boolean(),
  /** Whether a token without the claim of groups confines to no group at all, or to none of them: `all` groups, or `none`. */
  missing_groups: z.enum(['all', 'none']),
  rules: z.array(ClaimRule).check(
    z.maxLength(CLAIM_LIMITS.rules),
    z.refine((rules) => new Set(rules.map(({ value }) => value)).size === rules.length, {
      error: 'not_unique',
    }),
  ),
})
export type ClaimMapping = z.output<typeof ClaimMapping>

export const DEFAULT_CLAIM_MAPPING: ClaimMapping = {
  roles_from: 'claims',
  user_reference: 'user_reference',
  display_name: 'name',
  roles: 'roles',
  groups: 'groups',
  user_group: 'user_group',
  accepts_names: true,
  missing_groups: 'all',
  rules: [],
}

const mapped = { ...DEFAULT_CLAIM_MAPPING, accepts_names: false, missing_groups: 'none' } as const

/** Claim names of well-known providers, without rules. */
export const CLAIM_PRESETS = {
  entra: { ...mapped, user_reference: 'preferred_username' },
  okta: { ...mapped, user_reference: 'preferred_username', roles: 'groups' },
  // It sends no groups: a rule for the company's domain identifies its people.
  google: { ...mapped, user_reference: 'email', roles: 'hd', groups: 'hd' },
  keycloak: { ...mapped, user_reference: 'preferred_username', roles: 'realm_access.roles' },
  lemonldap: { ...mapped, user_reference: 'sub', roles: 'groups' },
} as const satisfies Record<string, ClaimMapping>

/**
 * Source of a person's role: a claim, a rule of the mapping, an assignment in the portal, the account default, or
 * the first administrator.
 */
export const ROLE_SOURCES = ['claim', 'mapping', 'assignment', 'default', 'first_administrator'] as const
export const GivenRole = z.strictObject({
  /** Role name from the claim; the role may not exist. */
  role: z.string(),
  source: z.enum(ROLE_SOURCES),
  /** The value of the claim; null without one. */
  value: z.nullable(z.string()),
})
export type GivenRole = z.output<typeof GivenRole>

/** Preview of a person with these claims, and of their rights. */
export const ClaimPreview = z.strictObject({
  /** Reason for a refused sign-in; null: the person can sign in. */
  refusal: z.nullable(z.string()),
  person: z.nullable(
    z.strictObject({
      user_reference: z.string(),
      display_name: z.nullable(z.string()),
      email: z.nullable(z.string()),
      user_group: z.nullable(z.string()),
      roles: z.array(z.strictObject({ ...GivenRole.def.shape, exists: z.boolean() })),
      /** Groups within reach; null: all. */
      groups: z.nullable(z.array(z.string())),
      /** Values of the claims that give nothing. */
      unused: z.array(z.string()),
      /** Actions that the person may do from any network. */
      actions: z.array(z.string()),
    }),
  ),
})
export type ClaimPreview = z.output<typeof ClaimPreview>

export const ClaimPreviewInput = z.strictObject({
  /** An id token, or its claims as JSON. The server does not verify, store or log it. */
  token: text(2, CLAIM_LIMITS.token),
  mapping: ClaimMapping,
})

/** Bytes of a mapping with as many rules as there may be. */
export const MAPPING_BODY_LIMIT = 2 * 1024 ** 2

export const StoredClaimMapping = z.strictObject({
  client: ClientReference,
  version: z.string(),
  updated_at: z.nullable(EpochSeconds),
  ...authors({ updated_by: z.nullable(z.string()) }),
  /** Where people sign in; null: at the provider of the installation. */
  issuer: z.nullable(z.string()),
  /** Whether that is the embedded provider, which is for demonstrations. */
  is_embedded: z.boolean(),
  mapping: ClaimMapping,
})
export type StoredClaimMapping = z.output<typeof StoredClaimMapping>

/** A person whose roles or groups the new mapping changes. */
export const PersonChange = z.strictObject({
  user_reference: z.string(),
  display_name: z.nullable(z.string()),
  roles_gained: z.array(z.string()),
  roles_lost: z.array(z.string()),
  /** Null: all groups. */
  groups_before: z.nullable(z.array(z.string())),
  groups_after: z.nullable(z.array(z.string())),
})
export type PersonChange = z.output<typeof PersonChange>

/** Maximum number of people in a preview of a mapping, latest sign-in first. */
export const REVIEWED_PEOPLE = 500

export const claimMappingEndpoints = endpoints({
  readClaimMapping: {
    ...get(ADMIN_ACCOUNT, 'account/identity'),
    action: 'account.identity:read',
    support: true,
    summary: 'Show the claim mapping of the identity provider',
    response: StoredClaimMapping,
  },
  saveClaimMapping: {
    ...put(ADMIN_ACCOUNT, 'account/identity/mapping'),
    action: 'account.identity:update',
    powers: [ESCALATE],
    summary: 'Replace the claim mapping',
    description:
      'Applies at the next sign-in and to open sessions within five minutes. Under dual control it waits for approval.',
    query: { confirm_lockout: z.optional(queryBoolean()) },
    body: ClaimMapping,
    bodyLimit: MAPPING_BODY_LIMIT,
    response: StoredClaimMapping,
    deferred: ProposalAnswer,
    problems: [
      'already_exists',
      'changed_meanwhile',
      'locks_out',
      'last_administrator',
      'escalation',
      'already_proposed',
      'person_required',
    ],
  },
  reviewClaimMapping: {
    ...post(ADMIN_ACCOUNT, 'account/identity/review'),
    action: 'account.identity:review',
    summary: 'Preview the impact of a claim mapping',
    body: ClaimMapping,
    bodyLimit: MAPPING_BODY_LIMIT,
    response: z.strictObject({
      ...verdict,
      impact: AccessImpact,
      /** People who gain or lose roles or groups; null: the source of roles is unchanged. */
      people: z.nullable(
        z.strictObject({
          changes: z.array(PersonChange),
          /** People without stored claims, or beyond the limit; their changes appear at the next sign-in. */
          unknown: Count,
        }),
      ),
    }),
  },
  previewClaims: {
    ...post(ADMIN_ACCOUNT, 'account/identity/preview'),
    action: 'account.identity:preview',
    summary: 'Preview the person and rights that an id token gives',
    body: ClaimPreviewInput,
    bodyLimit: MAPPING_BODY_LIMIT,
    response: ClaimPreview,
    secrets: ['token'],
  },
})

/** Calls of the provider. */
export const internalClaimMappingEndpoints = endpoints({
  previewClaimsOfClient: {
    ...post(INTERNAL, 'clients/{client}/identity/preview'),
    action: 'internal.clients:preview',
    summary: 'Preview claims of a client as the provider’s staff',
    body: ClaimPreviewInput,
    bodyLimit: MAPPING_BODY_LIMIT,
    response: ClaimPreview,
    problems: ['not_found'],
    secrets: ['token'],
  },
})
