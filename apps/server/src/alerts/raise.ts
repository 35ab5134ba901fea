import { newId } from '../http/new-id.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type AlertEvent, endAlert, writeAlert } from './raise-store.ts'

export type { AlertEvent, AlertTarget } from './raise-store.ts'

/**
 * Raises an alert for each scope and target, or adds an occurrence to the one with the same key. The severity becomes
 * the highest of both; a cleared or dismissed alert is triggered again (reading-the-spec, "Alert").
 */
export async function raiseAlert(tx: Tx, event: AlertEvent): Promise<void> {
  const alert_key = event.alert_key_type === 'Scoped' ? event.alert_key : `${event.alert_key} ${newId()}`
  // In one order, so that two events with several scopes cannot wait for each other.
  for (const target of event.alert_targets.toSorted())
    for (const scope of event.alert_scopes.toSorted())
      await writeAlert(tx, { ...event, alert_key }, target, scope)
}

/** Clears an alert whose cause is over, without an actor. No effect on a cleared or absent alert. */
export async function settleAlert(
  tx: Tx,
  event: Pick<AlertEvent, 'alert_key' | 'alert_scopes' | 'alert_targets' | 'now'>,
): Promise<void> {
  for (const target of event.alert_targets.toSorted())
    for (const scope of event.alert_scopes.toSorted()) await endAlert(tx, event, target, scope)
}
