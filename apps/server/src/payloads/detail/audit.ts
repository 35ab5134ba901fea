import type { Handler } from '../../http/context.ts'
import { payloadInReach } from './read.ts'
import { findPayloadAudit, findReceipts } from './read-store.ts'

/** The audit entries and receipts of a payload, newest first. */
export function readPayloadAudit(): Handler<'readPayloadAudit'> {
  return (context, { params }) =>
    context.read(async (q) => {
      const { payload_id, payload_reference } = await payloadInReach(
        q,
        context,
        'payloads.audit:read',
        params.payload_reference,
      )
      const records = await findPayloadAudit(q, payload_id)
      return { payload_reference, records, receipts: await findReceipts(q, payload_id) }
    })
}
