import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import { StoredRole } from './roles.ts'
import {
  ClientReference,
  Count,
  EpochSeconds,
  HttpsAddress,
  NonNegative,
  RoleReference,
  text,
  UserReference,
} from './scalars.ts'
import { Exchange, sessionEndpoints } from './session.ts'

/** A customer account as the provider sees it. */
export const ClientAccount = z.strictObject({
  client: ClientReference,
  client_name: z.string(),
  is_provider: z.boolean(),
  created_at: EpochSeconds,
  /** Null: the identity provider of the installation. */
  oidc_issuer: z.nullable(z.string()),
  oidc_client_id: z.nullable(z.string()),
  devices: Count,
  device_users: Count,
})
export type ClientAccount = z.output<typeof ClientAccount>

/** Where the people of a client sign in; null: at the identity provider of the installation. */
export const ClientIdentity = z.nullable(
  z.strictObject({
    issuer: HttpsAddress,
    oidc_client_id: text(1, 255),
    /** Write-only; absent keeps the one that is there. */
    client_secret: z.optional(text(1, 1024)),
  }),
)
export type ClientIdentity = z.output<typeof ClientIdentity>

/** One of the provider's own people. */
export const StaffMember = z.strictObject({
  user_reference: UserReference,
  roles: z.array(RoleReference),
  user_group: z.nullable(z.string()),
  /** Of the newest session, if there was one in the last thirty days. */
  last_seen: z.nullable(EpochSeconds),
  active_sessions: Count,
})
export type StaffMember = z.output<typeof StaffMember>

export const Carrier = z.strictObject({
  carrier_name: z.string(),
  carrier_code: z.string(),
  first_seen: EpochSeconds,
  last_seen: EpochSeconds,
  clients: z.array(ClientReference),
})
export type Carrier = z.output<typeof Carrier>
export const Country = z.strictObject({
  /** International calling code. */
  country_code: z.int().check(z.gte(1), z.lte(99)),
  country_name: z.string(),
  carriers: z.array(Carrier),
})
export type Country = z.output<typeof Country>

const figure = {
  count: Count,
  size_mb: z.number(),
  clients: z.array(
    z.strictObject({ client: ClientReference, count: Count, size_mb: z.nullable(z.number()) }),
  ),
  updated_at: EpochSeconds,
}
const Named = z.array(z.strictObject({ name: z.string(), ...figure }))
/** Figures by which the installation is checked for integrity (spec section 3). */
export const Statistics = z.strictObject({
  log_groups: Named,
  tables: Named,
  buckets: Named,
  entities: z.array(z.strictObject({ entity: z.string(), ...figure })),
})
export type Statistics = z.output<typeof Statistics>

export const internalEndpoints = endpoints({
  internalExchange: {
    ...sessionEndpoints.exchange,
    portal: 'internal',
    summary: 'As the exchange of the admin portal, for the provider\u2019s own people',
    params: z.object({}),
    response: Exchange,
  },
  listClients: {
    method: 'GET',
    portal: 'internal',
    path: 'clients',
    authentication: 'portal',
    action: 'internal.clients:list',
    summary: 'All clients',
    query: z.strictObject({ ...pageQuery, search: z.optional(text(1, 255)) }),
    response: pageOf(ClientAccount),
    problems: ['invalid_cursor'],
  },
  saveClientIdentity: {
    method: 'PUT',
    portal: 'internal',
    path: 'clients/{client}/identity',
    authentication: 'portal',
    action: 'internal.clients:update',
    summary: 'Names the identity provider of a client',
    params: inClient,
    query: z.strictObject({}),
    body: z.strictObject({ identity: ClientIdentity }),
    response: ClientAccount,
    problems: ['not_found'],
    secrets: ['client_secret'],
  },
  listRolesOfClient: {
    method: 'GET',
    portal: 'internal',
    path: 'clients/{client}/roles',
    authentication: 'portal',
    action: 'internal.roles:list',
    summary: 'Roles of a client under which support may be asked for',
    params: inClient,
    query: z.strictObject(pageQuery),
    response: pageOf(StoredRole),
    problems: ['not_found', 'invalid_cursor'],
  },
  listCountries: {
    method: 'GET',
    portal: 'internal',
    path: 'countries',
    authentication: 'portal',
    action: 'internal.countries:list',
    summary: 'Countries and carriers from which phones recorded',
    query: z.strictObject({}),
    response: z.strictObject({ data: z.array(Country) }),
  },
  readStatistics: {
    method: 'GET',
    portal: 'internal',
    path: 'statistics',
    authentication: 'portal',
    action: 'internal.statistics:read',
    summary: 'Counts and sizes of what the installation keeps',
    query: z.strictObject({}),
    response: Statistics,
  },
  listStaff: {
    method: 'GET',
    portal: 'internal',
    path: 'staff',
    authentication: 'portal',
    action: 'internal.staff:list',
    summary: 'The provider\u2019s own people',
    query: z.strictObject({}),
    response: z.strictObject({ data: z.array(StaffMember) }),
  },
  verify: {
    method: 'POST',
    portal: 'internal',
    path: 'verify',
    authentication: 'none',
    summary: 'The message gateway reports a verification message that a phone sent from its number',
    query: z.strictObject({}),
    body: z.strictObject({ phone_number: text(3, 255), verification_code: text(16, 64) }),
    response: z.strictObject({ is_verified: z.boolean(), verified_until: z.nullable(NonNegative) }),
    secrets: ['verification_code'],
  },
})
