import * as z from 'zod/mini'
import { CLIENT_GROUPS, endpoints, post } from './endpoint.ts'
import { PayloadState } from './payload-types.ts'
import { BATCH_LIMIT, EpochSeconds, PayloadReference, uniqueList } from './scalars.ts'

/** Outcome of one restored payload. Payloads that the caller may not read count as missing. */
export const RESTORE_STATUSES = ['Ok', 'NotDeleted', 'Destroyed', 'NotPermitted', 'NoMatchingRecord'] as const
export type RestoreStatus = (typeof RESTORE_STATUSES)[number]

export const restoreEndpoints = endpoints({
  restorePayload: {
    ...post(CLIENT_GROUPS, 'payloads/{payload_reference}/restore'),
    action: 'payloads:restore',
    summary: 'Restore a deleted payload to its former state',
    response: z.strictObject({ payload_reference: PayloadReference, payload_state: PayloadState }),
    problems: ['not_found', 'wrong_state'],
  },
  restorePayloads: {
    ...post(CLIENT_GROUPS, 'payloads/restore'),
    action: 'payloads:restore',
    summary: 'Restore up to 100 deleted payloads, each with its own outcome',
    body: z.strictObject({ payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) }),
    response: z.strictObject({
      data: z.array(
        z.strictObject({ payload_reference: PayloadReference, status: z.enum(RESTORE_STATUSES) }),
      ),
    }),
  },
})

export const writeOffEndpoints = endpoints({
  writeOffPayload: {
    ...post(CLIENT_GROUPS, 'payloads/{payload_reference}/write_off'),
    action: 'payloads:write_off',
    summary: 'Write off a late or failed payload',
    description:
      'Applies to late (`Recorded`) or failed (`Failed`) payloads. The payload stays until a policy makes it due. The server still accepts its data. A repeat changes nothing.',
    response: z.strictObject({ payload_reference: PayloadReference, written_off_at: EpochSeconds }),
    problems: ['not_found', 'wrong_state'],
  },
})
