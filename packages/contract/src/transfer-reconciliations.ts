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

/** How a reconciliation is written; what is signed is the canonical JSON (RFC 8785) of `reconciliation`. */
export const RECONCILIATION_FORMAT = 'custodia.reconciliation/1'

/** Missing payloads that a reconciliation names; of more it tells how many, why, and the digest over all. */
export const MISSING_LIMIT = 10_000

/** Why a payload that was captured does not lie on the target. Those that the config's role does not reach are counted and never named. */
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
  /** From 1; the newest says what holds. */
  version: Count,
  /** Payloads of the config's kinds that phones announced. */
  captured: Count,
  /** Those of them that lie on its target. */
  delivered: Count,
  missing: Count,
  /** Why they are missing, and how many each. */
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

/** What is signed, and put on the target. */
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
    /** SHA-256 of what the version before signed; null: this is the first. */
    replaces: z.nullable(Sha256),
  }),
  signature: SignatureOfFile,
})
export type TransferReconciliation = z.output<typeof TransferReconciliation>

export const ReconciliationSummary = z.strictObject({
  ...Head,
  key_id: KeyId,
  /** SHA-256 of the canonical JSON that is signed. */
  checksum: Sha256,
  /** When it lay on the target; null: not yet. */
  sent_at: z.nullable(EpochSeconds),
  dest_path: z.nullable(z.string()),
  /** Begins with why sending it failed, as `TRANSFER_PROBLEMS` spells it; null: it did not. */
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
    summary:
      'What was captured, delivered and missing of each day, the newest day first; of each the newest version',
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
    summary: 'A reconciliation as it was signed, with what is missing',
    description:
      'The answer can be kept as a file and verified with `custodia certificate`, without this server.',
    params: z.object({ reconciliation_reference: Ulid }),
    response: TransferReconciliation,
    problems: ['not_found'],
  },
})
