import { loggedParameters, newLogId } from './audit.ts'
import type { AuditEntry } from './context.ts'

/** An entry in the account's log about an act of the server itself; `facts` without content. */
export function systemEntry(
  { client_id }: { client_id: number },
  { at, by }: { at: number; by: string },
  action: string,
  facts: object,
): AuditEntry {
  const log_id = newLogId()
  return {
    log_id,
    caller: {
      kind: 'portal',
      client_id,
      user_reference: by,
      user_group: null,
      group_id: null,
      roles: [],
    },
    // No call has an address.
    ip: '',
    browser: undefined,
    activity_time: at,
    activity_end_time: at,
    duration: 0,
    action,
    is_allowed: true,
    denial_reason: null,
    parameters: loggedParameters({ body: facts }, []),
    status_code: 200,
    request_id: log_id,
  }
}
