import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { pageOf, pageQuery } from './paging.ts'
import { TRANSFERABLE_TYPES } from './payload-types.ts'
import { KeyId, SignatureOfFile } from './retention-certificates.ts'
import {
  ClientReference,
  Count,
  DateParameter,
  EpochSeconds,
  IsoDate,
  PayloadReference,
  Sha256,
  TransferConfigReference,
  Ulid,
} from './scalars.ts'

/** Format of a reconciliation. The signature covers the canonical JSON (RFC 8785) of `reconciliation`. */
export const RECONCILIATION_FORMAT = 'custodia.reconciliation/1'

/** Maximum missing payloads that a reconciliation names; beyond it has only number, reasons and a digest over all. */
export const MISSING_LIMIT = 10_000

/** Reasons why a captured payload is not on the target. Payloads beyond the role's reach are counted, never named. */
export const MISSING_REASONS = [
  'not_uploaded',
  'being_processed',
  'processing_failed',
  'quarantined',
  'deleted',
  'waiting',
  'not_taken',
  'transfer_failed',
  'not_permitted',
] as const
export type MissingReason = (typeof MISSING_REASONS)[number]

const Head = {
  client: ClientReference,
  reconciliation_reference: Ulid,
  transfer_config_reference: TransferConfigReference,
  /** The UTC day of the payloads' time. */
  payload_date: IsoDate,
  /** From 1; the newest version applies. */
  version: Count,
  /** Payloads of the config's kinds that phones announced. */
  captured: Count,
  /** Those of them on its target. */
  delivered: Count,
  missing: Count,
  /** Number of missing payloads per reason. */
  reasons: z.array(z.strictObject({ reason: z.enum(MISSING_REASONS), count: Count })),
  issued_at: EpochSeconds,
}

const MissingPayload = z.strictObject({
  payload_reference: PayloadReference,
  payload_type: z.enum(TRANSFERABLE_TYPES),
  payload_time: EpochSeconds,
  reason: z.enum(MISSING_REASONS),
})
export type MissingPayload = z.output<typeof MissingPayload>

/** The signed file, which the target also gets. */
export const TransferReconciliation = z.strictObject({
  reconciliation: z.strictObject({
    format: z.literal(RECONCILIATION_FORMAT),
    ...Head,
    payload_types: z.array(z.enum(TRANSFERABLE_TYPES)),
    /** SHA-256 of the lines `payload_reference checksum` of what was delivered, by reference; the checksum is that of the content. */
    delivered_sha256: Sha256,
    /** SHA-256 of the lines `payload_reference reason` of what is missing and may be named, by reference. */
    missing_sha256: Sha256,
    /** By reference, without `not_permitted`; `MISSING_LIMIT` at most. */
    missing_payloads: z.array(MissingPayload),
    /** SHA-256 of the previous signed version; null: this is the first. */
    replaces: z.nullable(Sha256),
  }),
  signature: SignatureOfFile,
})
export type TransferReconciliation = z.output<typeof TransferReconciliation>

export const ReconciliationSummary = z.strictObject({
  ...Head,
  key_id: KeyId,
  /** SHA-256 of the signed canonical JSON. */
  checksum: Sha256,
  /** Time of its delivery to the target; null: not yet. */
  sent_at: z.nullable(EpochSeconds),
  dest_path: z.nullable(z.string()),
  /** Begins with the failure as in `TRANSFER_PROBLEMS`; null: no failure. */
  error_message: z.nullable(z.string()),
})
export type ReconciliationSummary = z.output<typeof ReconciliationSummary>

const row = { method: 'GET', portal: 'client', authentication: 'portal', concerns: 'account' } as const

export const reconciliationEndpoints = endpoints({
  listTransferReconciliations: {
    ...row,
    path: 'transfer_reconciliations',
    action: 'transfer_reconciliations:list',
    support: true,
    summary: 'List the reconciliation of each day, newest first',
    query: {
      ...pageQuery,
      transfer_config_reference: z.optional(TransferConfigReference),
      /** Of `payload_date`, inclusive. */
      from: z.optional(DateParameter),
      /** Exclusive; a bare date means the midnight after it. */
      to: z.optional(DateParameter),
    },
    response: pageOf(ReconciliationSummary),
    problems: ['invalid_cursor'],
  },
  readTransferReconciliation: {
    ...row,
    path: 'transfer_reconciliations/{reconciliation_reference}',
    action: 'transfer_reconciliations:read',
    support: true,
    summary: 'Show a signed reconciliation with its missing payloads',
    description:
      'Save the response as a file and verify it with `custodia certificate`, without this server.',
    params: z.object({ reconciliation_reference: Ulid }),
    response: TransferReconciliation,
    problems: ['not_found'],
  },
})
