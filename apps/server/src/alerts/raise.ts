import { newId } from '../http/new-id.ts'
import type { Tx } from '../ports/database/lease.ts'
import { type AlertEvent, type AlertIdentity, endAlert, writeAlert } from './raise-store.ts'

export type { AlertEvent, AlertIdentity, AlertTarget } from './raise-store.ts'

/**
 * Raises an alert for each scope and target, or adds an occurrence to the one with the same key. The severity becomes
 * the highest of both; a cleared or dismissed alert is triggered again (reading-the-spec, "Alert").
 */
export async function raiseAlert(tx: Tx, event: AlertEvent): Promise<void> {
  const alert_key = event.alert_key_type === 'Transient' ? `${event.alert_key} ${newId()}` : event.alert_key
  for (const [target, scope] of getPlaces(event)) await writeAlert(tx, { ...event, alert_key }, target, scope)
}

/** Clears an alert whose cause is over, without an actor. No effect on a cleared or absent alert. */
export async function settleAlert(tx: Tx, event: AlertIdentity): Promise<void> {
  for (const [target, scope] of getPlaces(event)) await endAlert(tx, event, target, scope)
}

/** In one order, so that two events with several scopes cannot wait for each other. */
const getPlaces = ({ alert_targets = ['client'], alert_scopes }: AlertIdentity) =>
  alert_targets
    .toSorted()
    .flatMap((target) => alert_scopes.toSorted().map((scope) => [target, scope] as const))
