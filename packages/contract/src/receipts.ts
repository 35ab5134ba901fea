import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { BATCH_LIMIT, EpochSeconds, PayloadReference, uniqueList } from './scalars.ts'

/** What became of one confirmation; the refusals are those of payload data. */
export const RECEIPT_STATUSES = ['Ok', 'NoMatchingRecord', 'GroupNotAuthorised', 'TypeNotAuthorised'] as const
export const Receipt = z.strictObject({
  /** The app, or the person who confirmed. */
  client_app_user: z.string(),
  confirmed_at: EpochSeconds,
  /** Whether a person said so: `required_receipts` of a retention policy are those of apps. */
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
    summary: 'A client app, or a person, confirms that payloads were received',
    body: z.strictObject({ payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) }),
    response: z.strictObject({
      receipts: z.array(
        z.strictObject({
          payload_reference: PayloadReference,
          status: z.enum(RECEIPT_STATUSES),
          /** When this app or person confirmed it first. */
          confirmed_at: z.nullable(EpochSeconds),
        }),
      ),
    }),
  },
})
