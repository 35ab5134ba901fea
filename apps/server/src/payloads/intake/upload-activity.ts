import type { AppContext } from '../../app-context.ts'
import { loggedParameters, newLogId } from '../../http/audit.ts'
import type { Context } from '../../http/context.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { findDevicesOf } from './arrival-store.ts'

/** The result of an upload. */
interface UploadEnd {
  context: Context
  client: string
  payload_id: number
  payload_reference: string
  status_code: number
  /** The reason of the refusal. */
  denial_reason?: string
  /** Duration of the upload in seconds. */
  duration: number
}

/**
 * Writes uploads of one client into the activity of their devices. An upload address names a payload and no
 * caller, so the request wrapper cannot do it.
 */
export async function noteUploadActivity(ctx: AppContext, tx: Tx, ends: readonly UploadEnd[]): Promise<void> {
  const devices = await findDevicesOf(
    tx,
    ends.map(({ payload_id }) => payload_id),
  )
  const entries = ends.map((end) => {
    const device = devices.get(end.payload_id)
    if (!device) throw new Error('the device of a payload is missing')
    return {
      log_id: newLogId(),
      caller: { kind: 'device' as const, client_id: tx.client_id, client: end.client, ...device },
      ip: end.context.ip,
      browser: undefined,
      activity_time: end.context.now,
      activity_end_time: ctx.now(),
      duration: end.duration,
      action: 'PUT uploads',
      is_allowed: end.denial_reason === undefined,
      denial_reason: end.denial_reason ?? null,
      parameters: loggedParameters({ payload_reference: end.payload_reference }, []),
      status_code: end.status_code,
      request_id: end.context.request_id,
    }
  })
  await ctx.audit.appendWithin(tx, ...entries)
}
