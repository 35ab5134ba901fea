import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { PayloadState } from './payload-types.ts'
import { BATCH_LIMIT, PayloadReference, uniqueList } from './scalars.ts'

/** What became of one payload that was to be restored. What the caller may not restore does not exist. */
export const RESTORE_STATUSES = ['Ok', 'NotDeleted', 'Destroyed', 'NoMatchingRecord'] as const
export type RestoreStatus = (typeof RESTORE_STATUSES)[number]

export const restoreEndpoints = endpoints({
  restorePayload: {
    method: 'POST',
    portal: 'client',
    path: 'payloads/{payload_reference}/restore',
    authentication: 'portal',
    action: 'payloads:restore',
    concerns: 'groups',
    summary: 'Puts a deleted payload back, into the state that it had',
    params: z.object({ payload_reference: PayloadReference }),
    response: z.strictObject({ payload_reference: PayloadReference, payload_state: PayloadState }),
    problems: ['not_found', 'wrong_state'],
  },
  restorePayloads: {
    method: 'POST',
    portal: 'client',
    path: 'payloads/restore',
    authentication: 'portal',
    action: 'payloads:restore',
    concerns: 'groups',
    summary: 'Puts up to 100 deleted payloads back, each with its own outcome',
    body: z.strictObject({ payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) }),
    response: z.strictObject({
      data: z.array(
        z.strictObject({ payload_reference: PayloadReference, status: z.enum(RESTORE_STATUSES) }),
      ),
    }),
  },
})
