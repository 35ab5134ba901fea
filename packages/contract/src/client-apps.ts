import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, stored, verdict } from './access.ts'
import { ADMIN_ACCOUNT, del, endpoints, get, getPage, pageQuery, post } from './endpoint.ts'
import {
  Audience,
  CidrRange,
  ClientAppReference,
  EpochSeconds,
  GroupReference,
  HttpsAddress,
  name,
  RoleReference,
  text,
  uniqueList,
} from './scalars.ts'

export const OidcConfig = z.strictObject({ issuer: HttpsAddress, audience: Audience, jwks_uri: HttpsAddress })
export type OidcConfig = z.output<typeof OidcConfig>

export const ClientAppInput = z.strictObject({
  oidc_config: OidcConfig,
  group: z.nullable(GroupReference),
  roles: uniqueList(RoleReference, 1, 20),
  cidr_ranges: uniqueList(CidrRange, 0, 100),
})
export type ClientAppInput = z.output<typeof ClientAppInput>
export const ClientApp = z.strictObject({
  app_reference: ClientAppReference,
  ...ClientAppInput.def.shape,
  last_seen: z.nullable(EpochSeconds),
  ...stored,
})
export type ClientApp = z.output<typeof ClientApp>

/** The steps in which a client app's token is checked, in their order. */
export const TOKEN_CHECKS = ['shape', 'algorithm', 'issuer', 'audience', 'keys', 'signature', 'time'] as const
export const TokenTest = z.strictObject({
  is_accepted: z.boolean(),
  /** Up to the first that fails. */
  checks: z.array(
    z.strictObject({ check: z.enum(TOKEN_CHECKS), is_passed: z.boolean(), detail: z.nullable(z.string()) }),
  ),
  expires_at: z.nullable(EpochSeconds),
})
export type TokenTest = z.output<typeof TokenTest>

const saveApp = {
  ...ADMIN_ACCOUNT,
  path: 'account/apps/{app_reference}',
  powers: [ESCALATE],
  body: ClientAppInput,
  response: ClientApp,
} as const

export const clientAppEndpoints = endpoints({
  listClientApps: {
    ...get(ADMIN_ACCOUNT, 'account/apps'),
    action: 'account.apps:list',
    support: true,
    summary: 'List the client apps of the client',
    query: { ...pageQuery, search: z.optional(name(1, 255)) },
    response: getPage(ClientApp),
  },
  readClientApp: {
    ...get(ADMIN_ACCOUNT, 'account/apps/{app_reference}'),
    action: 'account.apps:read',
    support: true,
    summary: 'Show a client app',
    response: ClientApp,
    problems: ['not_found'],
  },
  createClientApp: {
    ...saveApp,
    method: 'POST',
    action: 'account.apps:create',
    summary: 'Create a client app',
    problems: ['already_exists', 'escalation'],
  },
  updateClientApp: {
    ...saveApp,
    method: 'PUT',
    action: 'account.apps:update',
    summary: 'Replace a client app',
    problems: ['not_found', 'already_exists', 'changed_meanwhile', 'escalation'],
  },
  reviewClientApp: {
    ...post(ADMIN_ACCOUNT, 'account/apps/{app_reference}/review'),
    action: 'account.apps:review',
    summary: 'Preview the rights that a client app would gain',
    body: ClientAppInput,
    response: z.strictObject({ ...verdict, impact: AccessImpact }),
  },
  deleteClientApp: {
    ...del(ADMIN_ACCOUNT, 'account/apps/{app_reference}'),
    action: 'account.apps:delete',
    summary: 'Delete a client app and revoke its tokens',
    response: z.strictObject({}),
    problems: ['not_found', 'already_exists', 'changed_meanwhile', 'in_use'],
  },
  testClientAppToken: {
    ...post(ADMIN_ACCOUNT, 'account/apps/{app_reference}/test'),
    action: 'account.apps:test',
    summary: 'Validate a token against an identity, step by step',
    body: z.strictObject({ token: text(1, 16_384), oidc_config: OidcConfig }),
    response: TokenTest,
    secrets: ['token'],
  },
})
