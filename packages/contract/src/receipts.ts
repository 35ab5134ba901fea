import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { BATCH_LIMIT, EpochSeconds, PayloadReference, uniqueList } from './scalars.ts'

/** What became of one confirmation; the refusals are those of payload data. */
export const RECEIPT_STATUSES = ['Ok', 'NoMatchingRecord', 'GroupNotAuthorised', 'TypeNotAuthorised'] as const
export const Receipt = z.strictObject({ client_app_user: z.string(), confirmed_at: EpochSeconds })

export const receiptEndpoints = endpoints({
  confirmReceipts: {
    method: 'POST',
    portal: 'client',
    path: 'receipts',
    authentication: 'portal',
    action: 'receipts:confirm',
    concerns: 'groups',
    summary: 'A client app confirms that it has received payloads',
    body: z.strictObject({ payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) }),
    response: z.strictObject({
      receipts: z.array(
        z.strictObject({
          payload_reference: PayloadReference,
          status: z.enum(RECEIPT_STATUSES),
          /** When this app confirmed it first. */
          confirmed_at: z.nullable(EpochSeconds),
        }),
      ),
    }),
  },
})
