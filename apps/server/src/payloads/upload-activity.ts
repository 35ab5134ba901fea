import type { House } from '../house.ts'
import { loggedParameters, newLogId } from '../http/audit.ts'
import type { Context } from '../http/context.ts'
import type { Tx } from '../ports/database/lease.ts'

/** How an upload ended. */
interface UploadEnd {
  client_id: number
  client: string
  payload_id: number
  payload_reference: string
  status_code: number
  /** Why the bytes were not taken. */
  denial_reason?: string
  /** Seconds that the bytes took. */
  duration: number
}

/**
 * Writes an upload into the activity of the device that announced the payload. An upload address names a payload and no caller, so
 * the request wrapper cannot do it.
 */
export async function noteUploadActivity(
  house: House,
  tx: Tx,
  context: Context,
  end: UploadEnd,
): Promise<void> {
  const { client_id, client, payload_id, payload_reference, status_code, denial_reason, duration } = end
  const { rows } = await tx.query<{
    device_id: number
    device_reference: string
    device_user_reference: string | null
    group_reference: string
    group_id: number
  }>(
    `select d.device_id, d.device_reference, u.device_user_reference, g.group_reference, g.group_id
     from payloads p join devices d using (client_id, device_id) join groups g on g.client_id = d.client_id and g.group_id = d.group_id
     left join device_users u on u.client_id = d.client_id and u.device_user_id = d.device_user_id
     where p.client_id = $1 and p.payload_id = $2`,
    [client_id, payload_id],
    'upload_activity_names',
  )
  const [device] = rows
  if (!device) throw new Error('the device of a payload is gone')
  await house.audit.appendWithin(tx, {
    log_id: newLogId(),
    caller: { kind: 'device', client_id, client, ...device },
    ip: context.ip,
    browser: undefined,
    activity_time: context.now,
    activity_end_time: house.now(),
    duration,
    action: 'PUT uploads',
    is_allowed: denial_reason === undefined,
    denial_reason: denial_reason ?? null,
    parameters: loggedParameters({ payload_reference }, []),
    status_code,
    request_id: context.request_id,
  })
}
