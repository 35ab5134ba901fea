import { deviceView } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { findAwaited, readStates } from './arrival-store.ts'
import { noticeArrivals } from './upload.ts'

/** The states of a device's own payloads. Notices data in the object store without waiting for the sweep. */
export function readPayloadStatus(ctx: AppContext): Handler<'readPayloadStatus'> {
  return async (context, { body: { payload_references } }) => {
    const { client_id } = context.caller
    if (ctx.objects.kind === 's3')
      await noticeArrivals(ctx, await findAwaited(ctx, client_id, payload_references))
    const found = await context.read((q) => readStates(q, context.caller.device_id, payload_references))
    const known = new Map(found.map((row) => [row.payload_reference, row]))
    return {
      payloads: payload_references.map((payload_reference) => {
        const row = known.get(payload_reference)
        const status = deviceView(row?.state, row?.state_before_deletion)
        return {
          payload_reference,
          status,
          ...(status === 'failed' && row?.failure ? { reason: row.failure } : {}),
        }
      }),
    }
  }
}
