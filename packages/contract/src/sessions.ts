import * as z from 'zod/mini'
import { ADMIN_ACCOUNT, dateRange, del, endpoints, get, post, put } from './endpoint.ts'
import { PayloadType } from './payload-types.ts'
import {
  AccessReason,
  authors,
  ClientReference,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  PayloadReference,
  queryInteger,
  RoleReference,
  text,
  Ulid,
  UserReference,
} from './scalars.ts'

/** Version of the terms; a new one requires a new acceptance. */
export const TERMS_VERSION = '2026-11'
/** Lifetime of an id token in seconds (reading-the-spec: identity). */
export const ID_TOKEN_SECONDS = 300

/** What a map with streets is drawn from: pictures, a MapLibre style, or a PMTiles file. */
export const MAP_SOURCES = ['tiles', 'style', 'pmtiles'] as const

/** File formats of list exports; `print` is a page on paper. */
export const EXPORT_FORMATS = ['csv', 'gpx', 'print'] as const

const RedirectUri = text(8, 2048)

export const Exchange = z.strictObject({
  id_token: z.string(),
  /** Only for an exchanged code. Invalid without the cookie of the same response. */
  refresh_token: z.optional(z.string()),
  /** Seconds. */
  expires_in: z.int(),
})

export const Profile = z.strictObject({
  ...authors({ user_reference: UserReference }),
  client: ClientReference,
  client_name: z.string(),
  /** Allowed actions, e.g. `payloads:list`. */
  actions: z.array(z.string()),
  /** Groups within reach; null when all. */
  groups: z.nullable(z.array(GroupReference)),
  payload_types: z.array(PayloadType),
  roles: z.array(RoleReference),
  /** Names in `roles` that do not exist. */
  unknown_roles: z.array(RoleReference),
  user_group: z.nullable(GroupReference),
  /** The contact for requests for more rights, in the account's own words. */
  contact: z.nullable(z.string()),
  /** Reasons for downloads and exports; empty: free text. Null: none required. */
  reasons: z.nullable(z.array(AccessReason)),
  portal_config: z.strictObject({
    map_key: z.optional(z.string()),
    map_source: z.optional(z.enum(MAP_SOURCES)),
    /** Address of its source, which may contain `{map_key}`; that of a picture also `{z}`, `{x}` and `{y}`. */
    map_address: z.optional(z.string()),
    map_attribution: z.optional(z.string()),
    monitoring_config: z.optional(z.string()),
    monitoring_application_id: z.optional(z.string()),
    monitoring_region: z.optional(z.string()),
  }),
  terms: z.strictObject({ version: z.string(), accepted_at: z.nullable(EpochSeconds) }),
  /** Absolute end of the session; a refresh does not extend it. */
  session_expires_at: EpochSeconds,
  /** Whether the account is the provider's own. */
  is_provider: z.boolean(),
  /** Set in support mode: the approved request of the provider's staff. */
  support: z.nullable(
    z.strictObject({ request_reference: Ulid, role: RoleReference, approval_expiry: EpochSeconds }),
  ),
})
export type Profile = z.output<typeof Profile>

const exchange = {
  method: 'GET',
  portal: 'admin',
  path: 'exchange',
  authentication: 'none',
  summary: 'Exchange a sign-in code, or a refresh token, for an id token',
  query: {
    code: z.optional(text(8, 2048)),
    state: z.optional(text(1, 2048)),
    /** The issuer as the provider named it with the code (RFC 9207): another one's code goes to no provider. */
    iss: z.optional(text(1, 2048)),
    redirect_uri: z.optional(RedirectUri),
    refresh_token: z.optional(text(16, 512)),
  },
  response: Exchange,
  problems: ['sign_in_refused', 'session_ended'],
  secrets: ['code', 'state', 'refresh_token', 'id_token'],
} as const

export const DemoPerson = z.strictObject({
  client: ClientReference,
  client_name: z.string(),
  user_reference: UserReference,
  /** Description of the person's reach, by language. */
  description: z.strictObject({ 'en-GB': z.string(), 'pt-BR': z.string() }),
})
export type DemoPerson = z.output<typeof DemoPerson>

export const Demo = z.strictObject({
  /** The version of the terms that choosing a demo person accepts. */
  terms_version: z.string(),
  data: z.array(DemoPerson),
})
export type Demo = z.output<typeof Demo>

export const sessionEndpoints = endpoints({
  listDemoPeople: {
    method: 'GET',
    portal: 'internal',
    path: 'demo_people',
    authentication: 'none',
    summary: 'List the demo people of the demo identity provider',
    response: Demo,
  },
  readSignInUrl: {
    method: 'GET',
    portal: 'admin',
    path: 'url',
    authentication: 'none',
    summary: 'Get the sign-in address of the identity provider',
    query: {
      /** Return to a program on the same machine instead of the portal. */
      local_port: z.optional(queryInteger(1024, 65_535)),
      /** Login hint for the provider (OpenID Connect Core 3.1.2.1). */
      login_hint: z.optional(text(1, 255)),
    },
    response: z.strictObject({ url: z.string() }),
    problems: ['not_found', 'account_suspended'],
  },
  exchange,
  readProfile: {
    ...get(ADMIN_ACCOUNT, 'profile'),
    action: 'profile:read',
    support: true,
    matters: true,
    summary: 'Show the caller and their rights',
    response: Profile,
    before_terms: true,
  },
  acceptTerms: {
    ...put(ADMIN_ACCOUNT, 'profile/terms'),
    action: 'profile.terms:accept',
    matters: true,
    summary: 'Accept a version of the terms',
    body: z.strictObject({ version: text(1, 60) }),
    response: Profile,
    before_terms: true,
  },
  noteExport: {
    ...post(ADMIN_ACCOUNT, 'profile/exports'),
    action: 'profile.exports:create',
    matters: true,
    summary: 'Record that the caller exports the rows of a list, or prints a page',
    description:
      'The portal calls it before it creates the file of a list or opens the print dialog. The audit log records it, so that unusual numbers of exports raise an alert. It does not prevent copies.',
    body: z.strictObject({
      /** The call of the list or page, such as `listPayloads`. */
      list: text(1, 60, [/^[a-zA-Z]+$/, 'reference']),
      format: z.enum(EXPORT_FORMATS),
      /** Rows in the file, if known in advance. */
      rows: z.optional(z.int().check(z.gte(0))),
      /** Subject and period of the list, if it is about one device or person. */
      device_reference: z.optional(DeviceReference),
      device_user_reference: z.optional(DeviceUserReference),
      ...dateRange,
      /** What is printed: a recording, whose audit also records it, a certificate, matter or request. */
      payload_reference: z.optional(PayloadReference),
      certificate_reference: z.optional(Ulid),
      matter_id: z.optional(Ulid),
      data_request_id: z.optional(Ulid),
      reason: z.optional(AccessReason),
    }),
    response: z.strictObject({ list: z.string() }),
    problems: ['reason_required', 'not_found'],
    before_terms: true,
  },
  signOut: {
    ...del(ADMIN_ACCOUNT, 'profile/session'),
    action: 'session:sign_out',
    matters: true,
    summary: 'End the session of this browser, or all of the user’s',
    query: { everywhere: z.optional(z.enum(['true', 'false'])) },
    response: z.strictObject({
      /** Logout address of the identity provider, if it offers one. */
      sign_out_url: z.optional(z.string()),
    }),
    before_terms: true,
  },
})

/** For the provider's own people. */
export const internalSessionEndpoints = endpoints({
  internalExchange: {
    ...exchange,
    portal: 'internal',
    summary: 'Exchange a code or token for the provider\u2019s own people',
  },
})
