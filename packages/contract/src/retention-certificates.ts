import * as z from 'zod/mini'
import { CLIENT_ACCOUNT, endpoints, getPage, pageQuery } from './endpoint.ts'
import { PayloadType } from './payload-types.ts'
import { PayloadRetention } from './retention.ts'
import { ClientReference, Count, EpochSeconds, Sha256, Ulid } from './scalars.ts'

/** Format of a certificate. The signature covers the canonical JSON (RFC 8785) of `certificate`. */
export const CERTIFICATE_FORMAT = 'custodia.destruction/1'

/** Maximum payloads of one certificate; a larger run has several parts. */
export const CERTIFIED_LIMIT = 1000

const CertificateHead = {
  client: ClientReference,
  certificate_reference: Ulid,
  /** Destructions of one run over the account, certified in parts. */
  run: Ulid,
  part: Count,
  parts: Count,
  /** Start and end of the run, and time of the certificate. */
  began_at: EpochSeconds,
  ended_at: EpochSeconds,
  issued_at: EpochSeconds,
}
/** The first 32 digits of the SHA-256 of a public key. */
export const KeyId = z.string()

/** Signature of a file, verifiable without this server. */
export const SignatureOfFile = z.strictObject({
  algorithm: z.literal('Ed25519'),
  key_id: KeyId,
  /** Base64. */
  value: z.string(),
})

/** A destroyed payload, without content and people. */
const CertifiedPayload = z.strictObject({
  payload_reference: z.string(),
  payload_type: PayloadType,
  payload_time: EpochSeconds,
  announced_at: EpochSeconds,
  processed_at: z.nullable(EpochSeconds),
  deleted_at: EpochSeconds,
  destroyed_at: EpochSeconds,
  destroyed_by: z.string(),
  /** Time of the verified removal of keys and objects, and their numbers. */
  finished_at: EpochSeconds,
  keys: Count,
  objects: Count,
  /** SHA-256 of the announced data and of each object, if known. */
  checksum: z.nullable(z.string()),
  digests: z.array(
    z.strictObject({
      kind: z.string(),
      size: z.nullable(z.int()),
      sealed_size: z.nullable(z.int()),
      checksum: z.nullable(z.string()),
      /** The version that was removed from a bucket with Object Lock. */
      version_id: z.optional(z.string()),
    }),
  ),
  /** Version and entry of the policy. */
  policy_version: Count,
  rule: PayloadRetention,
  /** Receipts and transfers that the entry requires, all present. */
  gates: z.strictObject({ receipts: z.array(z.string()), transfers: z.array(z.string()) }),
  /** People checked for holds, and their ended holds; no hold applied. */
  holds: z.strictObject({ people_checked: Count, ended: Count }),
  /**
   * When a restored database read it from the destruction ledger in the keystore, because the old database was lost
   * before the certification. Absent otherwise.
   */
  replayed_at: z.optional(EpochSeconds),
  /**
   * The list that was reviewed, and who released it, with the display name where known; null: the account required no
   * review. Absent if unknown: neither the ledger nor older certificates contain it.
   */
  released: z.optional(
    z.nullable(
      z.strictObject({ list: Ulid, by: z.string(), name: z.optional(z.string()), at: EpochSeconds }),
    ),
  ),
})

export const DestructionCertificate = z.strictObject({
  certificate: z.strictObject({
    format: z.literal(CERTIFICATE_FORMAT),
    ...CertificateHead,
    payloads: z.array(CertifiedPayload),
  }),
  signature: SignatureOfFile,
})
export type DestructionCertificate = z.output<typeof DestructionCertificate>

export const CertificateSummary = z.strictObject({
  ...CertificateHead,
  payloads: Count,
  key_id: KeyId,
  /** SHA-256 of the signed canonical JSON. */
  checksum: Sha256,
})
export type CertificateSummary = z.output<typeof CertificateSummary>

export const CertificateKeys = z.strictObject({
  client: ClientReference,
  keys: z.array(z.strictObject({ key_id: KeyId, public_key_pem: z.string(), made_at: EpochSeconds })),
})

const read = {
  method: 'GET',
  ...CLIENT_ACCOUNT,
  action: 'account.retention:read',
} as const

export const certificateEndpoints = endpoints({
  listCertificates: {
    ...read,
    path: 'account/retention/certificates',
    support: true,
    summary: 'List the certificates of destruction, newest first',
    query: pageQuery,
    response: getPage(CertificateSummary),
  },
  readCertificate: {
    ...read,
    path: 'account/retention/certificates/{certificate_reference}',
    support: true,
    summary: 'Show a signed certificate of destruction',
    description:
      'Save the response as a file and verify it with `custodia certificate`, without this server.',
    response: DestructionCertificate,
    problems: ['not_found'],
  },
  readCertificateKeys: {
    ...read,
    path: 'account/retention/certificate_keys',
    support: true,
    summary: 'List current and former public keys of certificates and reconciliations',
    response: CertificateKeys,
  },
})
