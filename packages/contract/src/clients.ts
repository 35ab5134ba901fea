import * as z from 'zod/mini'
import { ClaimMapping, MAPPING_BODY_LIMIT } from './claim-mapping.ts'
import { endpoints } from './endpoint.ts'
import { LicenseLimits } from './licenses.ts'
import { inClient, pageOf, pageQuery } from './paging.ts'
import { Proposed } from './proposed.ts'
import { SignatureOfFile } from './retention-certificates.ts'
import { ClientReference, Count, EpochSeconds, HttpsAddress, PersonReference, text, Ulid } from './scalars.ts'

/** A change of a client's identity provider that waits: for the client, or for its time when it was seconded. */
export const IdentityChange = z.strictObject({
  proposal_id: Ulid,
  /** Null: the identity provider of the installation. */
  issuer: z.nullable(z.string()),
  oidc_client_id: z.nullable(z.string()),
  proposed_at: EpochSeconds,
  proposed_by: z.string(),
  expires_at: EpochSeconds,
  /** Who of the provider's staff also says that the client cannot sign in; null: nobody yet. */
  seconded_by: z.nullable(z.string()),
  /** When it takes effect unless the client rejects it; null: only when the client confirms it. */
  takes_effect_at: z.nullable(EpochSeconds),
})
export type IdentityChange = z.output<typeof IdentityChange>

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
  /** How the claims of its provider are read. */
  claim_mapping: ClaimMapping,
  identity_change: z.nullable(IdentityChange),
  /** As the identity provider names the person; null: the account has none. */
  first_administrator: z.nullable(z.string()),
  /** Since when people and apps of the client cannot sign in; null: they can. */
  suspended_at: z.nullable(EpochSeconds),
  suspended_by: z.nullable(z.string()),
  suspended_reason: z.nullable(z.string()),
  /** Since when its deletion waits for a second person of the provider; null: it is not proposed. */
  deletion_proposed_at: z.nullable(EpochSeconds),
  deletion_proposed_by: z.nullable(z.string()),
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

/** A client that is to be made. */
export const NewClient = z.strictObject({
  client: ClientReference,
  client_name: text(2, 255),
  limits: LicenseLimits,
  identity: ClientIdentity,
  /** How the claims of its provider are read; absent: by the default names. */
  claim_mapping: z.optional(ClaimMapping),
  /** Who administers the account until the identity provider names roles, as the mapped claim names the person. */
  first_administrator: PersonReference,
})
export type NewClient = z.output<typeof NewClient>

/** A client that was just made. The secrets are in this answer only. */
export const CreatedClient = z.strictObject({
  account: ClientAccount,
  /** Base64: what devices of the account share with the server. */
  account_key: z.string(),
  /** What the first device is given to join the account. */
  enrolment: z.string(),
})
export type CreatedClient = z.output<typeof CreatedClient>

/** How the certificate of a deleted client is written; what is signed is the canonical JSON (RFC 8785) of `certificate`. */
export const CLIENT_DELETION_FORMAT = 'custodia.client-deletion/1'

/** The certificate of a deleted client, as a file that can be verified without this server. */
export const ClientDeletion = z.strictObject({
  certificate: z.strictObject({
    format: z.literal(CLIENT_DELETION_FORMAT),
    client: ClientReference,
    client_name: z.string(),
    certificate_reference: Ulid,
    created_at: EpochSeconds,
    suspended_at: EpochSeconds,
    proposed_at: EpochSeconds,
    proposed_by: z.string(),
    deleted_at: EpochSeconds,
    deleted_by: z.string(),
    /** Payloads that retention had destroyed before; each has a certificate of destruction. */
    destroyed_payloads: Count,
    /** Key pairs of its devices, whose private halves are removed with it. */
    removed_device_keys: z.array(z.string()),
    /** What was kept of the client when it was deleted: nothing. */
    kept: z.strictObject({
      payloads: z.literal(0),
      unfinished_destructions: z.literal(0),
      legal_holds: z.literal(0),
      legal_matters: z.literal(0),
      proposals: z.literal(0),
    }),
  }),
  signature: SignatureOfFile,
})
export type ClientDeletion = z.output<typeof ClientDeletion>

/** Days for which the enrolment of a new client is valid. */
export const FIRST_ENROLMENT_DAYS = 30

/** Seconds for which a seconded change waits, so that the client can stop it. */
export const IDENTITY_DELAY_SECONDS = 72 * 3600

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
  createClient: {
    method: 'POST',
    portal: 'internal',
    path: 'clients',
    authentication: 'portal',
    action: 'internal.clients:create',
    concerns: 'account',
    summary: 'Creates a client',
    description: `The identity provider is read first. The answer alone has the account key and the enrolment of a first device, which is valid for ${FIRST_ENROLMENT_DAYS} days.`,
    body: NewClient,
    bodyLimit: MAPPING_BODY_LIMIT,
    response: CreatedClient,
    problems: ['already_exists'],
    secrets: ['client_secret'],
  },
  suspendClient: {
    method: 'PUT',
    portal: 'internal',
    path: 'clients/{client}/suspension',
    authentication: 'portal',
    action: 'internal.clients:suspend',
    concerns: 'account',
    summary: 'Suspends a client',
    description:
      'Ends all sessions of the client and refuses sign-ins, client apps and support mode until it is resumed. Devices go on to deliver what they record.',
    params: inClient,
    body: z.strictObject({ reason: text(3, 500) }),
    response: ClientAccount,
    problems: ['not_found', 'wrong_state'],
  },
  resumeClient: {
    method: 'DELETE',
    portal: 'internal',
    path: 'clients/{client}/suspension',
    authentication: 'portal',
    action: 'internal.clients:resume',
    concerns: 'account',
    summary: 'Resumes a suspended client',
    params: inClient,
    response: ClientAccount,
    problems: ['not_found', 'wrong_state'],
  },
  proposeClientDeletion: {
    method: 'PUT',
    portal: 'internal',
    path: 'clients/{client}/deletion',
    authentication: 'portal',
    action: 'internal.clients:delete',
    concerns: 'account',
    summary: 'Proposes to delete a suspended client',
    description:
      'Refused while a payload, a legal hold, an open matter or a waiting proposal of the client is kept. Another member of staff confirms it.',
    params: inClient,
    response: ClientAccount,
    problems: ['not_found', 'wrong_state', 'client_not_empty'],
  },
  confirmClientDeletion: {
    method: 'POST',
    portal: 'internal',
    path: 'clients/{client}/deletion/second',
    authentication: 'portal',
    action: 'internal.clients:delete',
    concerns: 'account',
    summary: 'Deletes a client for good, as a second member of staff',
    description:
      'Answers the signed certificate. The reference of the client is never given again; its audit log and certificates stay.',
    params: inClient,
    response: ClientDeletion,
    problems: ['not_found', 'same_person', 'wrong_state', 'client_not_empty'],
  },
  withdrawClientDeletion: {
    method: 'DELETE',
    portal: 'internal',
    path: 'clients/{client}/deletion',
    authentication: 'portal',
    action: 'internal.clients:delete',
    concerns: 'account',
    summary: 'Takes back the proposal to delete a client',
    params: inClient,
    response: ClientAccount,
    problems: ['not_found', 'wrong_state'],
  },
  saveClientIdentity: {
    method: 'PUT',
    portal: 'internal',
    path: 'clients/{client}/identity',
    authentication: 'portal',
    action: 'internal.clients:update',
    concerns: 'account',
    summary: 'Proposes the identity provider of a client',
    description:
      'It changes once an account administrator of the client confirms the proposal, signed in through the present provider. So does another mapping of claims. Only a new secret for the same issuer and client ids counts at once. What was proposed before is taken back.',
    params: inClient,
    body: z.strictObject({
      identity: ClientIdentity,
      /** As it is unless told. */
      claim_mapping: z.optional(ClaimMapping),
    }),
    bodyLimit: MAPPING_BODY_LIMIT,
    response: ClientAccount,
    deferred: Proposed,
    problems: ['not_found'],
    secrets: ['client_secret'],
  },
  secondClientIdentity: {
    method: 'POST',
    portal: 'internal',
    path: 'clients/{client}/identity/second',
    authentication: 'portal',
    action: 'internal.clients:update',
    concerns: 'account',
    summary: 'Seconds the change of a client that cannot sign in',
    description: `Another member of staff than who proposed it. The change takes effect ${IDENTITY_DELAY_SECONDS / 3600} hours later unless the client rejects it.`,
    params: inClient,
    body: z.strictObject({ proposal_id: Ulid }),
    response: ClientAccount,
    problems: ['not_found', 'same_person', 'wrong_state'],
  },
  withdrawClientIdentity: {
    method: 'DELETE',
    portal: 'internal',
    path: 'clients/{client}/identity',
    authentication: 'portal',
    action: 'internal.clients:update',
    concerns: 'account',
    summary: 'Takes back a proposed identity provider',
    params: inClient,
    response: ClientAccount,
    problems: ['not_found'],
  },
})
