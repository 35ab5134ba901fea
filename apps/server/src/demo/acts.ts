import type { AppContext } from '../app-context.ts'
import { AuditLog, newLogId } from '../http/audit.ts'
import { notePayloadAudit } from '../payloads/store.ts'
import type { Tx } from '../ports/database/lease.ts'

/** Something that somebody of the demo did before anybody looked. */
export interface DemoAct {
  by: string
  /** Epoch seconds. */
  at: number
  action: string
  /** What the call named. */
  parameters: object
  /** The recording in whose own audit it stands; absent: in the log alone. */
  payload_id?: number
}

/** Writes an act as the server would have: into the audit log, and into the audit of its recording. */
export async function noteDemoAct(
  { db }: Pick<AppContext, 'db'>,
  tx: Tx,
  { by, at, action, parameters, payload_id }: DemoAct,
): Promise<void> {
  const log_id = newLogId()
  await new AuditLog(db).appendWithin(tx, {
    log_id,
    caller: {
      kind: 'portal',
      client_id: tx.client_id,
      user_reference: by,
      user_group: null,
      group_id: null,
      roles: [],
    },
    ip: '127.0.0.1',
    browser: undefined,
    activity_time: at,
    activity_end_time: at,
    duration: 0,
    action,
    is_allowed: true,
    denial_reason: null,
    parameters: JSON.stringify(parameters),
    status_code: 200,
    request_id: log_id,
  })
  if (payload_id !== undefined)
    await notePayloadAudit(tx, [payload_id], { at, log_id, portal_user: by, action })
}
