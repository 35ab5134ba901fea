import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, verdict } from './access.ts'
import { endpoints } from './endpoint.ts'
import { inClient } from './paging.ts'
import { Proposed } from './proposed.ts'
import {
  ClientReference,
  Count,
  GroupReference,
  queryBoolean,
  RoleReference,
  text,
  uniqueList,
} from './scalars.ts'

/** Rules of a mapping, and values of a claim that are read. Microsoft Entra leaves longer lists of groups out as well. */
export const CLAIM_LIMITS = { rules: 100, values: 200, token: 65_536 } as const

/** Name of a claim, or a path to it with dots: `groups`, `realm_access.roles`, `https://example.com/roles`. */
const ClaimName = text(1, 255)

/** What a value of the claims of roles and groups gives a person, such as a group of the provider. */
export const ClaimRule = z.strictObject({
  value: text(1, 255),
  roles: uniqueList(RoleReference, 0, 10),
  /** Groups to which it confines; those of several values add up. */
  groups: uniqueList(GroupReference, 0, 20),
  /** It confines to no group, whatever other values say. */
  all_groups: z._default(z.boolean(), false),
})
export type ClaimRule = z.output<typeof ClaimRule>

/** Where the roles and groups of people are decided: by claims of the identity provider, or by assignment in the portal. */
export const ROLES_FROM = ['claims', 'portal'] as const

/** How the claims of a client's identity provider are read. */
export const ClaimMapping = z.strictObject({
  /** With `portal`, claims say who a person is and give no roles and groups. */
  roles_from: z._default(z.enum(ROLES_FROM), 'claims'),
  /** Names the person. Only the default may be missing in a token: then it is `sub`. */
  user_reference: ClaimName,
  /** How people call the person. */
  display_name: ClaimName,
  /** Hold the provider's roles and groups; the two may be the same. */
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

/** Counts where a client has decided nothing else. */
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

/** Where well-known providers put what a mapping reads; rules are the client's own. */
export const CLAIM_PRESETS = {
  entra: { ...mapped, user_reference: 'preferred_username' },
  okta: { ...mapped, user_reference: 'preferred_username', roles: 'groups' },
  // It sends no groups: a rule for the company's domain tells its people from others.
  google: { ...mapped, user_reference: 'email', roles: 'hd', groups: 'hd' },
  keycloak: { ...mapped, user_reference: 'preferred_username', roles: 'realm_access.roles' },
  lemonldap: { ...mapped, user_reference: 'sub', roles: 'groups' },
} as const satisfies Record<string, ClaimMapping>

/**
 * Why a person has a role: a claim names it, a rule of the mapping gives it, it is assigned in the portal, it is the default of the account,
 * or one of its first administrator.
 */
export const ROLE_SOURCES = ['claim', 'mapping', 'assignment', 'default', 'first_administrator'] as const
export const GivenRole = z.strictObject({
  /** As the claim names it, so perhaps a role that there is not. */
  role: z.string(),
  source: z.enum(ROLE_SOURCES),
  /** The value of the claim; null without one. */
  value: z.nullable(z.string()),
})
export type GivenRole = z.output<typeof GivenRole>

/** Who a person with such claims would be, and what they may do. */
export const ClaimPreview = z.strictObject({
  /** Why they could not sign in; null: they could. */
  refusal: z.nullable(z.string()),
  person: z.nullable(
    z.strictObject({
      user_reference: z.string(),
      display_name: z.nullable(z.string()),
      email: z.nullable(z.string()),
      user_group: z.nullable(z.string()),
      roles: z.array(z.strictObject({ ...GivenRole.def.shape, exists: z.boolean() })),
      /** Groups to which they are confined; null: all. */
      groups: z.nullable(z.array(z.string())),
      /** Values of the claims that give nothing. */
      unused: z.array(z.string()),
      /** What they may do, from any network. */
      actions: z.array(z.string()),
    }),
  ),
})
export type ClaimPreview = z.output<typeof ClaimPreview>

export const ClaimPreviewInput = z.strictObject({
  /** An id token, or its claims as JSON. It is read, and neither checked, kept nor logged. */
  token: text(2, CLAIM_LIMITS.token),
  mapping: ClaimMapping,
})

/** Bytes of a mapping with as many rules as there may be. */
export const MAPPING_BODY_LIMIT = 2 * 1024 ** 2

export const StoredClaimMapping = z.strictObject({
  client: ClientReference,
  version: z.string(),
  /** Where people sign in; null: at the provider of the installation. */
  issuer: z.nullable(z.string()),
  /** Whether that is the embedded provider, which is for demonstrations. */
  is_embedded: z.boolean(),
  mapping: ClaimMapping,
})
export type StoredClaimMapping = z.output<typeof StoredClaimMapping>

/** A person whose roles or groups another way of deciding them changes. */
export const PersonChange = z.strictObject({
  user_reference: z.string(),
  display_name: z.nullable(z.string()),
  roles_gained: z.array(z.string()),
  roles_lost: z.array(z.string()),
  /** Null: not confined to groups. */
  groups_before: z.nullable(z.array(z.string())),
  groups_after: z.nullable(z.array(z.string())),
})
export type PersonChange = z.output<typeof PersonChange>

/** People that a review of a mapping looks at, those who were here last first. */
export const REVIEWED_PEOPLE = 500

const ofAccount = {
  portal: 'admin',
  authentication: 'portal',
  concerns: 'account',
  params: inClient,
} as const

export const claimMappingEndpoints = endpoints({
  readClaimMapping: {
    ...ofAccount,
    method: 'GET',
    path: 'account/identity',
    action: 'account.identity:read',
    support: true,
    summary: 'How the claims of the identity provider become people, roles and groups',
    response: StoredClaimMapping,
  },
  saveClaimMapping: {
    ...ofAccount,
    method: 'PUT',
    path: 'account/identity/mapping',
    action: 'account.identity:update',
    powers: [ESCALATE],
    summary: 'Replaces the mapping of claims',
    description:
      'It counts with the next sign-in and, for sessions, within five minutes. Where two people decide, it waits for the second.',
    query: { confirm_lockout: z.optional(queryBoolean()) },
    body: ClaimMapping,
    bodyLimit: MAPPING_BODY_LIMIT,
    response: StoredClaimMapping,
    deferred: Proposed,
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
    ...ofAccount,
    method: 'POST',
    path: 'account/identity/review',
    action: 'account.identity:review',
    summary: 'What saving a mapping would mean, without saving it',
    body: ClaimMapping,
    bodyLimit: MAPPING_BODY_LIMIT,
    response: z.strictObject({
      ...verdict,
      impact: AccessImpact,
      /** Who gains or loses roles or groups; null: the mapping decides them where they were decided before. */
      people: z.nullable(
        z.strictObject({
          changes: z.array(PersonChange),
          /** People of whom no claims are kept, or beyond the first ones: what they gain or lose shows when they sign in. */
          unknown: Count,
        }),
      ),
    }),
  },
  previewClaims: {
    ...ofAccount,
    method: 'POST',
    path: 'account/identity/preview',
    action: 'account.identity:preview',
    summary: 'Who the person of an id token would be under a mapping, and what they may do',
    body: ClaimPreviewInput,
    bodyLimit: MAPPING_BODY_LIMIT,
    response: ClaimPreview,
    secrets: ['token'],
  },
})

/** The provider's side. */
export const internalClaimMappingEndpoints = endpoints({
  previewClaimsOfClient: {
    method: 'POST',
    portal: 'internal',
    path: 'clients/{client}/identity/preview',
    authentication: 'portal',
    action: 'internal.clients:preview',
    concerns: 'account',
    summary: 'As the preview of claims of the client itself, for the provider’s staff',
    params: inClient,
    body: ClaimPreviewInput,
    bodyLimit: MAPPING_BODY_LIMIT,
    response: ClaimPreview,
    problems: ['not_found'],
    secrets: ['token'],
  },
})
