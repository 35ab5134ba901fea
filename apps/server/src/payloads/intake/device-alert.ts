import { type AlertEvent, raiseAlert } from '../../alerts/raise.ts'
import type { Tx } from '../../ports/database/lease.ts'

/** Raises an alert about a device for the client's staff: one for all `ahead` payloads, one for all `late` ones. */
export function raiseDeviceAlert(
  tx: Tx,
  what: 'ahead' | 'late',
  { device_reference, group_id }: { device_reference: string; group_id: number },
  about: Pick<AlertEvent, 'now'> & { values: Readonly<Record<string, string>> },
): Promise<void> {
  return raiseAlert(tx, {
    group_id,
    alert_scopes: ['ops'],
    alert_targets: ['client', 'admin'],
    alert_key_type: 'Scoped',
    alert_type: 'DeviceAlert',
    alert_key: `${what} ${device_reference}`,
    text: `device_${what}`,
    values: { device_reference, ...about.values },
    alert_severity: 'Medium',
    related_entities: [{ entity_id: device_reference, entity_type: 'Device' }],
    now: about.now,
  })
}
