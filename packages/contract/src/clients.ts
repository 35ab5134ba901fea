import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import { ClientReference, Count, EpochSeconds, HttpsAddress, text } from './scalars.ts'

/** A customer account as the provider sees it. */
export const ClientAccount = z.strictObject({
  client: ClientReference,
  client_name: z.string(),
  is_provider: z.boolean(),
  created_at: EpochSeconds,
  /** Null: the identity provider of the installation. */
  oidc_issuer: z.nullable(z.string()),
  oidc_client_id: z.nullable(z.string()),
  oidc_phone_client_id: z.nullable(z.string()),
  devices: Count,
  device_users: Count,
})
export type ClientAccount = z.output<typeof ClientAccount>

/** Where the people of a client sign in; null: at the identity provider of the installation. */
export const ClientIdentity = z.nullable(
  z.strictObject({
    issuer: HttpsAddress,
    oidc_client_id: text(1, 255),
    /** Of the app on phones; null: nobody signs in there. */
    oidc_phone_client_id: z._default(z.nullable(text(1, 255)), null),
    /** Write-only; absent keeps the one that is there. */
    client_secret: z.optional(text(1, 1024)),
  }),
)
export type ClientIdentity = z.output<typeof ClientIdentity>

export const clientEndpoints = endpoints({
  listClients: {
    method: 'GET',
    portal: 'internal',
    path: 'clients',
    authentication: 'portal',
    action: 'internal.clients:list',
    concerns: 'account',
    summary: 'All clients',
    query: { ...pageQuery, search: z.optional(text(1, 255)) },
    response: pageOf(ClientAccount),
    problems: ['invalid_cursor'],
  },
  saveClientIdentity: {
    method: 'PUT',
    portal: 'internal',
    path: 'clients/{client}/identity',
    authentication: 'portal',
    action: 'internal.clients:update',
    concerns: 'account',
    summary: 'Names the identity provider of a client',
    params: inClient,
    body: z.strictObject({ identity: ClientIdentity }),
    response: ClientAccount,
    problems: ['not_found'],
    secrets: ['client_secret'],
  },
})
