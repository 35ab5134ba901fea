import type { Tx } from '../ports/database/lease.ts'

/** Prefix of the alert key of an escalation, before the recording's reference. */
export const ESCALATED = 'escalated '

/** Moves open escalation alerts with their recordings, so that the new group's supervisors see them. */
export async function moveEscalations(tx: Tx, payload_ids: readonly number[]): Promise<void> {
  await tx.query(
    `update alerts a set group_id = p.group_id from payloads p
     where p.client_id = $1 and p.payload_id = any($2)
       and a.client_id = $1 and a.alert_target = 'client' and a.alert_scope = 'ops' and a.alert_key = $3 || p.payload_reference
       and a.alert_state = 'Triggered'`,
    [tx.client_id, payload_ids, ESCALATED],
    'escalations_move',
  )
}
