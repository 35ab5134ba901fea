import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { pageOf, pageQuery } from './paging.ts'
import { PayloadType } from './payload-types.ts'
import { PayloadRetention } from './retention.ts'
import { ClientReference, Count, EpochSeconds, Sha256, Ulid } from './scalars.ts'

/** How a certificate is written; what is signed is the canonical JSON (RFC 8785) of `certificate`. */
export const CERTIFICATE_FORMAT = 'custodia.destruction/1'

/** Payloads of one certificate at most; a run of more has several parts. */
export const CERTIFIED_LIMIT = 1000

const CertificateHead = {
  client: ClientReference,
  certificate_reference: Ulid,
  /** What was destroyed in one pass over the account; certified in parts. */
  run: Ulid,
  part: Count,
  parts: Count,
  /** When the run began and ended, and when the certificate was made. */
  began_at: EpochSeconds,
  ended_at: EpochSeconds,
  issued_at: EpochSeconds,
}
/** The first 32 digits of the SHA-256 of a public key. */
export const KeyId = z.string()

/** Of a file that can be verified without this server. */
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
  /** When keys and objects were seen to be gone, and how many there were. */
  finished_at: EpochSeconds,
  keys: Count,
  objects: Count,
  /** SHA-256 of what its phone announced, and of each object, as far as they were known. */
  checksum: z.nullable(z.string()),
  digests: z.array(
    z.strictObject({
      kind: z.string(),
      size: z.nullable(z.int()),
      sealed_size: z.nullable(z.int()),
      checksum: z.nullable(z.string()),
    }),
  ),
  /** By which version of the policy, and which entry of it. */
  policy_version: Count,
  rule: PayloadRetention,
  /** Receipts and transfers that the entry asks for, and that were there. */
  gates: z.strictObject({ receipts: z.array(z.string()), transfers: z.array(z.string()) }),
  /** People who were asked for a hold on them, and holds on them that had ended; none kept it. */
  holds: z.strictObject({ people_checked: Count, ended: Count }),
  /**
   * When a restored database learnt of it from the destruction ledger in the keystore, because the old database was
   * lost before the certification. Absent otherwise.
   */
  replayed_at: z.optional(EpochSeconds),
  /**
   * The list that was reviewed, and who released it; null: the account required no review. Absent if unknown: neither
   * the ledger nor older certificates contain it.
   */
  released: z.optional(z.nullable(z.strictObject({ list: Ulid, by: z.string(), at: EpochSeconds }))),
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
  /** SHA-256 of the canonical JSON that is signed. */
  checksum: Sha256,
})
export type CertificateSummary = z.output<typeof CertificateSummary>

export const CertificateKeys = z.strictObject({
  client: ClientReference,
  keys: z.array(z.strictObject({ key_id: KeyId, public_key_pem: z.string(), made_at: EpochSeconds })),
})

const read = {
  method: 'GET',
  portal: 'client',
  authentication: 'portal',
  action: 'account.retention:read',
  concerns: 'account',
} as const

export const certificateEndpoints = endpoints({
  listCertificates: {
    ...read,
    path: 'account/retention/certificates',
    support: true,
    summary: 'Certificates of what retention destroyed, the newest first',
    query: pageQuery,
    response: pageOf(CertificateSummary),
    problems: ['invalid_cursor'],
  },
  readCertificate: {
    ...read,
    path: 'account/retention/certificates/{certificate_reference}',
    support: true,
    summary: 'A certificate of destruction, signed',
    description:
      'The answer can be kept as a file and verified with `custodia certificate`, without this server.',
    params: z.object({ certificate_reference: Ulid }),
    response: DestructionCertificate,
    problems: ['not_found'],
  },
  readCertificateKeys: {
    ...read,
    path: 'account/retention/certificate_keys',
    support: true,
    summary:
      'The public keys that certificates of destruction and reconciliations are verified with, the former ones too',
    response: CertificateKeys,
  },
})
