import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { BATCH_LIMIT, EpochSeconds, PayloadReference, uniqueList } from './scalars.ts'

/** Outcome of one confirmation; refusals are those of payload data. */
export const RECEIPT_STATUSES = ['Ok', 'NoMatchingRecord', 'GroupNotAuthorised', 'TypeNotAuthorised'] as const
export const Receipt = z.strictObject({
  /** The app, or the person who confirmed. */
  client_app_user: z.string(),
  confirmed_at: EpochSeconds,
  /** Whether a person confirmed it. `required_receipts` of a retention policy count only apps. */
  is_person: z.boolean(),
})
export type Receipt = z.output<typeof Receipt>

export const receiptEndpoints = endpoints({
  confirmReceipts: {
    method: 'POST',
    portal: 'client',
    path: 'receipts',
    authentication: 'portal',
    action: 'receipts:confirm',
    concerns: 'groups',
    summary: 'Confirm that a client app or person received payloads',
    body: z.strictObject({ payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) }),
    response: z.strictObject({
      receipts: z.array(
        z.strictObject({
          payload_reference: PayloadReference,
          status: z.enum(RECEIPT_STATUSES),
          /** First confirmation by this app or person. */
          confirmed_at: z.nullable(EpochSeconds),
        }),
      ),
    }),
  },
})
