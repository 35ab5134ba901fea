import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { pageOf, pageQuery } from './paging.ts'
import { TRANSFERABLE_TYPES } from './payload-types.ts'
import {
  ClientReference,
  Count,
  DateParameter,
  EpochSeconds,
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
/** An item is there or it is not: only a run can be there in part. */
export const TRANSFER_ITEM_STATES = ['Pending', 'InProgress', 'Succeeded', 'Failed'] as const
export type TransferItemState = (typeof TRANSFER_ITEM_STATES)[number]

/** Items, and references of payloads, that a run tells of itself; the others are listed. */
export const TRANSFER_SAMPLE = 100

/** One attempt at an item: when, by whose run, and its result. */
export const TransferAttempt = z.strictObject({
  attempted_at: EpochSeconds,
  attempted_by: z.string(),
  /** Begins with why it failed, as `TRANSFER_PROBLEMS` spells it; null: it did not. */
  error_message: z.nullable(z.string()),
  transfer_state: z.enum(TRANSFER_ITEM_STATES),
})
export type TransferAttempt = z.output<typeof TransferAttempt>

/** A payload, or a file of a report, that a run puts on its target. */
export const TransferItem = z.strictObject({
  /** What it is called within its run: the payload's reference, or the name of the report. */
  item: z.string(),
  payload_reference: z.nullable(PayloadReference),
  payload_type: z.nullable(z.enum(TRANSFERABLE_TYPES)),
  /** The path of its source here; null: generated or removed. */
  source_path: z.nullable(z.string()),
  dest_path: z.nullable(z.string()),
  transfer_state: z.enum(TRANSFER_ITEM_STATES),
  /** The oldest first. */
  attempts: z.array(TransferAttempt),
  /** Of the last attempt. */
  error_message: z.nullable(z.string()),
  /** When it lay there first; no repeat moves it. */
  transferred_at: z.nullable(EpochSeconds),
  /** Of the file on the target. */
  encrypted_checksum: z.nullable(Sha256),
  /** Of what is in it. */
  decrypted_checksum: z.nullable(Sha256),
})
export type TransferItem = z.output<typeof TransferItem>

/**
 * Why a run leaves out a payload of its window and of its config's types: the config has no role that exists; the role may be used from some
 * networks only, and a transfer comes from none; the role may not download at all, not in that group, or not that type; or the role gained the
 * right, and no second person has confirmed the config since.
 */
export const LEFT_OUT_REASONS = [
  'role_missing',
  'role_networks',
  'action_not_authorised',
  'group_not_authorised',
  'type_not_authorised',
  'not_confirmed',
] as const
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number]

/** One run of a transfer config. */
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
  /** What was processed from then on; null: ever. */
  report_from: z.nullable(EpochSeconds),
  /** What was processed before that. */
  report_to: EpochSeconds,
  payload_count: Count,
  succeeded_count: Count,
  failed_count: Count,
  /** The role as which it delivers, as its config named it when it began. */
  role_reference: z.nullable(RoleReference),
  /** What of its window it leaves out because of the role, the most first. */
  left_out: z.array(
    z.strictObject({
      reason: z.enum(LEFT_OUT_REASONS),
      payload_type: z.enum(TRANSFERABLE_TYPES),
      count: Count,
    }),
  ),
  /** Why the whole of it failed; null: see its items. */
  error_message: z.nullable(z.string()),
  updated_by: z.string(),
})
export type TransferRun = z.output<typeof TransferRun>

/** A run with its first items, those that failed before the others. */
export const TransferRunDetail = z.strictObject({
  ...TransferRun.def.shape,
  related_payloads: z.array(PayloadReference),
  transfers: z.array(TransferItem),
})
export type TransferRunDetail = z.output<typeof TransferRunDetail>

const row = { portal: 'client', authentication: 'portal', concerns: 'account' } as const
const one = { ...row, params: z.object({ transfer_id: Ulid }) } as const

export const transferEndpoints = endpoints({
  listTransfers: {
    ...row,
    method: 'GET',
    path: 'transfers',
    action: 'transfers:list',
    support: true,
    summary: 'Runs of transfer configs, newest first',
    query: {
      ...pageQuery,
      transfer_states: z.optional(uniqueList(z.enum(TRANSFER_STATES), 1, TRANSFER_STATES.length)),
      transfer_types: z.optional(uniqueList(z.enum(TRANSFER_TYPES), 1, TRANSFER_TYPES.length)),
      transfer_config_reference: z.optional(TransferConfigReference),
      /** Of `created_at`, inclusive. */
      from: z.optional(DateParameter),
      /** Exclusive; a bare date means the midnight after it. */
      to: z.optional(DateParameter),
    },
    response: pageOf(TransferRun),
    problems: ['invalid_cursor'],
  },
  readTransfer: {
    ...one,
    method: 'GET',
    path: 'transfers/{transfer_id}',
    action: 'transfers:read',
    support: true,
    summary: 'One run, with its first items',
    response: TransferRunDetail,
    problems: ['not_found'],
  },
  listTransferItems: {
    ...one,
    method: 'GET',
    path: 'transfers/{transfer_id}/items',
    action: 'transfers:read',
    support: true,
    summary: 'Items of a run, by name',
    query: {
      ...pageQuery,
      transfer_states: z.optional(uniqueList(z.enum(TRANSFER_ITEM_STATES), 1, TRANSFER_ITEM_STATES.length)),
    },
    response: pageOf(TransferItem),
    problems: ['not_found', 'invalid_cursor'],
  },
  runTransfer: {
    ...one,
    method: 'POST',
    path: 'transfers/{transfer_id}/run',
    action: 'transfers:run',
    summary: 'Repeats what failed of a run, and nothing else',
    response: TransferRun,
    problems: ['not_found', 'wrong_state'],
  },
})
