import { type AlertEvent, raiseAlert, settleAlert } from '../../alerts/raise.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { ESCALATED } from '../escalated-store.ts'
import { isEscalated, type Markable } from './store.ts'

type Escalated = Pick<Markable, 'payload_id' | 'payload_reference' | 'group_id'>

/** Who acted, and when (epoch seconds). */
interface Actor {
  user_reference: string
  now: number
}

/** Alerts the supervisors of the recording's group about an escalation. */
export const raiseEscalation = (tx: Tx, payload: Escalated, actor: Actor): Promise<void> =>
  raiseAlert(tx, alertOf(payload, actor))

/** Closes the alert after a decision, once no other escalation of the recording is open. */
export async function settleEscalation(tx: Tx, payload: Escalated, actor: Actor): Promise<void> {
  if (!(await isEscalated(tx, payload.payload_id))) await settleAlert(tx, alertOf(payload, actor))
}

/** Open as long as an escalation of the recording is open. */
const alertOf = ({ group_id, payload_reference }: Escalated, { user_reference, now }: Actor): AlertEvent => ({
  group_id,
  alert_scopes: ['ops'],
  alert_targets: ['client'],
  alert_key_type: 'Scoped',
  alert_type: 'PayloadAlert',
  alert_key: `${ESCALATED}${payload_reference}`,
  text: 'payload_escalated',
  values: { payload_reference, user_reference },
  alert_severity: 'Medium',
  related_entities: [{ entity_id: payload_reference, entity_type: 'Payload' }],
  now,
})
