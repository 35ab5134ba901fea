import * as z from 'zod/mini'
import { CLIENT_ACCOUNT, dateRange, endpoints, get, getPage, pageQuery, post } from './endpoint.ts'
import { NamedRecording } from './named-recording.ts'
import { TRANSFERABLE_TYPES } from './payload-types.ts'
import { KeyId, SignatureOfFile } from './retention-certificates.ts'
import {
  authors,
  ClientReference,
  Count,
  EpochSeconds,
  IsoDate,
  PayloadReference,
  RoleReference,
  Sha256,
  TransferConfigReference,
  Ulid,
  uniqueList,
} from './scalars.ts'
import { TRANSFER_TYPES } from './transfer-configs.ts'

export const TRANSFER_STATES = ['Pending', 'InProgress', 'Succeeded', 'PartialFail', 'Failed'] as const
export type TransferState = (typeof TRANSFER_STATES)[number]
/** An item is delivered or not; only a run can be partial. */
export const TRANSFER_ITEM_STATES = ['Pending', 'InProgress', 'Succeeded', 'Failed'] as const
export type TransferItemState = (typeof TRANSFER_ITEM_STATES)[number]

/** Maximum items and payload references within a run; the item list has all. */
export const TRANSFER_SAMPLE = 100

/** One attempt at an item: when, by whose run, and its result. */
export const TransferAttempt = z.strictObject({
  attempted_at: EpochSeconds,
  ...authors({ attempted_by: z.string() }),
  /** Begins with the failure as in `TRANSFER_PROBLEMS`; null: no failure. */
  error_message: z.nullable(z.string()),
  transfer_state: z.enum(TRANSFER_ITEM_STATES),
})
export type TransferAttempt = z.output<typeof TransferAttempt>

/** A payload, or a file of a report, that a run puts on its target. */
export const TransferItem = z.strictObject({
  /** Name within its run: the payload reference, or the name of the report. */
  item: z.string(),
  payload_reference: z.nullable(PayloadReference),
  payload_type: z.nullable(z.enum(TRANSFERABLE_TYPES)),
  /** Null: a report, a removed payload, or one that the reader may not read. */
  seen: NamedRecording.def.shape.seen,
  /** The path of its source here; null: generated or removed. */
  source_path: z.nullable(z.string()),
  dest_path: z.nullable(z.string()),
  transfer_state: z.enum(TRANSFER_ITEM_STATES),
  /** The oldest first. */
  attempts: z.array(TransferAttempt),
  /** Of the last attempt. */
  error_message: z.nullable(z.string()),
  /** First delivery; a retry does not change it. */
  transferred_at: z.nullable(EpochSeconds),
  /** Of the file on the target. */
  encrypted_checksum: z.nullable(Sha256),
  decrypted_checksum: z.nullable(Sha256),
})
export type TransferItem = z.output<typeof TransferItem>

/**
 * Reasons why a run omits a payload of its window and types: the role does not exist; the role is restricted to
 * networks, which a transfer has not; the role cannot download at all, in that group, or that type; the config is limited
 * to other groups; or no second person has approved the config since the role gained the right.
 */
export const LEFT_OUT_REASONS = [
  'role_missing',
  'role_networks',
  'action_not_authorised',
  'group_not_authorised',
  'type_not_authorised',
  'group_not_selected',
  'not_confirmed',
] as const
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number]

export const TransferRun = z.strictObject({
  client: ClientReference,
  transfer_id: Ulid,
  transfer_config_reference: TransferConfigReference,
  transfer_type: z.enum(TRANSFER_TYPES),
  transfer_state: z.enum(TRANSFER_STATES),
  created_at: EpochSeconds,
  completed_at: z.nullable(EpochSeconds),
  /** The scheduled time of the run; null: a user started it. */
  scheduled_for: z.nullable(EpochSeconds),
  /** Start of the window by processing time; null: unlimited. */
  report_from: z.nullable(EpochSeconds),
  /** End of the window by processing time, exclusive. */
  report_to: EpochSeconds,
  payload_count: Count,
  succeeded_count: Count,
  failed_count: Count,
  /** The role of the config at the start of the run. */
  role_reference: z.nullable(RoleReference),
  /** Omitted payloads of the window per reason, most frequent first. */
  left_out: z.array(
    z.strictObject({
      reason: z.enum(LEFT_OUT_REASONS),
      payload_type: z.enum(TRANSFERABLE_TYPES),
      count: Count,
    }),
  ),
  /** Failure of the whole run; null: see its items. */
  error_message: z.nullable(z.string()),
  ...authors({ updated_by: z.string() }),
})
export type TransferRun = z.output<typeof TransferRun>

/** A run with its first items, those that failed before the others. */
export const TransferRunDetail = z.strictObject({
  ...TransferRun.def.shape,
  related_payloads: z.array(PayloadReference),
  transfers: z.array(TransferItem),
})
export type TransferRunDetail = z.output<typeof TransferRunDetail>

export const transferEndpoints = endpoints({
  listTransfers: {
    ...get(CLIENT_ACCOUNT, 'transfers'),
    action: 'transfers:list',
    support: true,
    summary: 'List the transfer runs, newest first',
    query: {
      ...pageQuery,
      transfer_states: z.optional(uniqueList(z.enum(TRANSFER_STATES), 1, TRANSFER_STATES.length)),
      transfer_types: z.optional(uniqueList(z.enum(TRANSFER_TYPES), 1, TRANSFER_TYPES.length)),
      transfer_config_reference: z.optional(TransferConfigReference),
      /** Of `created_at`. */
      ...dateRange,
    },
    response: getPage(TransferRun),
  },
  readTransfer: {
    ...get(CLIENT_ACCOUNT, 'transfers/{transfer_id}'),
    action: 'transfers:read',
    support: true,
    summary: 'Show a transfer run with its first items',
    response: TransferRunDetail,
    problems: ['not_found'],
  },
  listTransferItems: {
    ...get(CLIENT_ACCOUNT, 'transfers/{transfer_id}/items'),
    action: 'transfers:read',
    support: true,
    summary: 'List the items of a transfer run, by name',
    query: {
      ...pageQuery,
      transfer_states: z.optional(uniqueList(z.enum(TRANSFER_ITEM_STATES), 1, TRANSFER_ITEM_STATES.length)),
    },
    response: getPage(TransferItem),
    problems: ['not_found'],
  },
  runTransfer: {
    ...post(CLIENT_ACCOUNT, 'transfers/{transfer_id}/run'),
    action: 'transfers:run',
    summary: 'Retry the failed items of a transfer run',
    response: TransferRun,
    problems: ['not_found', 'wrong_state'],
  },
})

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
  /** Payloads of the config's kinds that devices announced. */
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

export const reconciliationEndpoints = endpoints({
  listTransferReconciliations: {
    ...get(CLIENT_ACCOUNT, 'transfer_reconciliations'),
    action: 'transfer_reconciliations:list',
    support: true,
    summary: 'List the reconciliation of each day, newest first',
    query: {
      ...pageQuery,
      transfer_config_reference: z.optional(TransferConfigReference),
      /** Of `payload_date`. */
      ...dateRange,
    },
    response: getPage(ReconciliationSummary),
  },
  readTransferReconciliation: {
    ...get(CLIENT_ACCOUNT, 'transfer_reconciliations/{reconciliation_reference}'),
    action: 'transfer_reconciliations:read',
    support: true,
    summary: 'Show a signed reconciliation with its missing payloads',
    description:
      'Save the response as a file and verify it with `custodia certificate`, without this server.',
    response: TransferReconciliation,
    problems: ['not_found'],
  },
})
