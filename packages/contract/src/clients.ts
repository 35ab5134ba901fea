import * as z from 'zod/mini'
import { ClaimMapping, MAPPING_BODY_LIMIT } from './claim-mapping.ts'
import { del, endpoints, get, INTERNAL, getPage, pageQuery, post, put } from './endpoint.ts'
import { LicenseLimits } from './licenses.ts'
import { ProposalAnswer } from './proposed.ts'
import { SignatureOfFile } from './retention-certificates.ts'
import { ClientReference, Count, EpochSeconds, HttpsAddress, PersonReference, text, Ulid } from './scalars.ts'

/** A pending change of a client's identity provider. It waits for the client, or after staff approval for its delay. */
export const IdentityChange = z.strictObject({
  proposal_id: Ulid,
  /** Null: the identity provider of the installation. */
  issuer: z.nullable(z.string()),
  oidc_client_id: z.nullable(z.string()),
  proposed_at: EpochSeconds,
  proposed_by: z.string(),
  expires_at: EpochSeconds,
  /** The second member of the provider's staff who confirms that the client cannot sign in; null: none yet. */
  seconded_by: z.nullable(z.string()),
  /** When it takes effect unless the client rejects it; null: only when the client confirms it. */
  takes_effect_at: z.nullable(EpochSeconds),
})
export type IdentityChange = z.output<typeof IdentityChange>

/** A customer account as the provider sees it. */
export const ClientAccount = z.strictObject({
  client: ClientReference,
  client_name: z.string(),
  /** Version of its identity provider, claim mapping and pending change. */
  version: z.string(),
  is_provider: z.boolean(),
  created_at: EpochSeconds,
  /** Null: the identity provider of the installation. */
  oidc_issuer: z.nullable(z.string()),
  oidc_client_id: z.nullable(z.string()),
  oidc_device_client_id: z.nullable(z.string()),
  claim_mapping: ClaimMapping,
  identity_change: z.nullable(IdentityChange),
  /** The person's name at the identity provider; null: the account has none. */
  first_administrator: z.nullable(z.string()),
  /** Time of suspension; null: not suspended. */
  suspended_at: z.nullable(EpochSeconds),
  suspended_by: z.nullable(z.string()),
  suspended_reason: z.nullable(z.string()),
  /** Time of the proposal to delete it; null: no proposal. */
  deletion_proposed_at: z.nullable(EpochSeconds),
  deletion_proposed_by: z.nullable(z.string()),
  devices: Count,
  device_users: Count,
  /** Alerts to the provider that are not cleared. */
  open_alerts: Count,
  /** Uploads that have waited for more than an hour. */
  waiting_uploads: Count,
})
export type ClientAccount = z.output<typeof ClientAccount>

/** Identity provider of a client; null: that of the installation. */
export const ClientIdentity = z.nullable(
  z.strictObject({
    issuer: HttpsAddress,
    oidc_client_id: text(1, 255),
    /** Client id of the app on devices; null: no sign-in on devices. */
    oidc_device_client_id: z._default(z.nullable(text(1, 255)), null),
    /** Write-only; absent: unchanged. */
    client_secret: z.optional(text(1, 1024)),
  }),
)
export type ClientIdentity = z.output<typeof ClientIdentity>

export const NewClient = z.strictObject({
  client: ClientReference,
  client_name: text(2, 255),
  limits: LicenseLimits,
  identity: ClientIdentity,
  /** Claim mapping of its provider; absent: the default mapping. */
  claim_mapping: z.optional(ClaimMapping),
  /** The administrator, by the mapped claim, until the identity provider names roles. */
  first_administrator: PersonReference,
})
export type NewClient = z.output<typeof NewClient>

/** A new client. Only this response contains its secrets. */
export const CreatedClient = z.strictObject({
  account: ClientAccount,
  /** Account key in Base64: the devices of the account share it with the server. */
  account_key: z.string(),
  /** Enrolment of the first device. */
  enrolment: z.string(),
})
export type CreatedClient = z.output<typeof CreatedClient>

/** Format of the certificate of a deleted client. The signature covers the canonical JSON (RFC 8785) of `certificate`. */
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
    /** Remaining data after the deletion: none. */
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

/** Delay of a staff-approved change in seconds, so that the client can reject it. */
export const IDENTITY_DELAY_SECONDS = 72 * 3600

export const clientEndpoints = endpoints({
  listClients: {
    ...get(INTERNAL, 'clients'),
    action: 'internal.clients:list',
    summary: 'List all clients',
    query: { ...pageQuery, search: z.optional(text(1, 255)) },
    response: getPage(ClientAccount),
  },
  createClient: {
    ...post(INTERNAL, 'clients'),
    action: 'internal.clients:create',
    summary: 'Create a client',
    description: `The server first reads the identity provider. Only this response contains the account key and the first enrolment, valid for ${FIRST_ENROLMENT_DAYS} days.`,
    body: NewClient,
    bodyLimit: MAPPING_BODY_LIMIT,
    response: CreatedClient,
    problems: ['already_exists'],
    secrets: ['client_secret'],
  },
  suspendClient: {
    ...put(INTERNAL, 'clients/{client}/suspension'),
    action: 'internal.clients:suspend',
    summary: 'Suspend a client',
    description:
      'Ends all sessions and refuses sign-ins, client apps and support mode until the client is resumed. Devices continue to upload recordings.',
    body: z.strictObject({ reason: text(3, 500) }),
    response: ClientAccount,
    problems: ['not_found', 'wrong_state'],
  },
  resumeClient: {
    ...del(INTERNAL, 'clients/{client}/suspension'),
    action: 'internal.clients:resume',
    summary: 'Resume a suspended client',
    response: ClientAccount,
    problems: ['not_found', 'wrong_state'],
  },
  proposeClientDeletion: {
    ...put(INTERNAL, 'clients/{client}/deletion'),
    action: 'internal.clients:delete',
    summary: 'Propose the deletion of a suspended client',
    description:
      'The server refuses it while the client has a payload, legal hold, open matter or pending proposal. Another member of staff approves it.',
    response: ClientAccount,
    problems: ['not_found', 'wrong_state', 'client_not_empty'],
  },
  confirmClientDeletion: {
    ...post(INTERNAL, 'clients/{client}/deletion/second'),
    action: 'internal.clients:delete',
    summary: 'Delete a client permanently, as a second member of staff',
    description:
      'Returns the signed certificate. The reference is never reused; the audit log and certificates stay.',
    response: ClientDeletion,
    problems: ['not_found', 'same_person', 'wrong_state', 'client_not_empty'],
  },
  withdrawClientDeletion: {
    ...del(INTERNAL, 'clients/{client}/deletion'),
    action: 'internal.clients:delete',
    summary: 'Withdraw the proposal to delete a client',
    response: ClientAccount,
    problems: ['not_found', 'wrong_state'],
  },
  saveClientIdentity: {
    ...put(INTERNAL, 'clients/{client}/identity'),
    action: 'internal.clients:update',
    summary: 'Propose the identity provider of a client',
    description:
      'An account administrator of the client approves it, signed in through the current provider. A changed claim mapping needs the same approval. A new secret for the same issuer and client ids applies at once. A new proposal replaces the pending one.',
    body: z.strictObject({
      identity: ClientIdentity,
      /** Absent: unchanged. */
      claim_mapping: z.optional(ClaimMapping),
    }),
    bodyLimit: MAPPING_BODY_LIMIT,
    response: ClientAccount,
    deferred: ProposalAnswer,
    problems: ['not_found', 'already_exists', 'changed_meanwhile'],
    secrets: ['client_secret'],
  },
  secondClientIdentity: {
    ...post(INTERNAL, 'clients/{client}/identity/second'),
    action: 'internal.clients:update',
    summary: 'Approve the identity provider of a client that cannot sign in',
    description: `The approver is not the author of the proposal. The change takes effect ${IDENTITY_DELAY_SECONDS / 3600} hours later unless the client rejects it.`,
    body: z.strictObject({ proposal_id: Ulid }),
    response: ClientAccount,
    problems: ['not_found', 'same_person', 'wrong_state'],
  },
  withdrawClientIdentity: {
    ...del(INTERNAL, 'clients/{client}/identity'),
    action: 'internal.clients:update',
    summary: 'Withdraw a proposed identity provider',
    response: ClientAccount,
    problems: ['not_found'],
  },
})
