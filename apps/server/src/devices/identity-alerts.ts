import type { WaitingReason } from '@custodia/contract'
import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { KnownDevice } from '../device-records/store.ts'

type About = Pick<AlertEvent, 'now' | 'group_id'> & { device_reference: string }

const raise = (
  tx: Tx,
  about: About,
  event: Pick<AlertEvent, 'text' | 'alert_severity'> & {
    key: string
    values?: Readonly<Record<string, string>>
    related?: readonly string[]
  },
): Promise<void> =>
  raiseAlert(tx, {
    alert_type: 'DeviceAlert',
    alert_scopes: ['sec'],
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_key: event.key,
    text: event.text,
    values: { device_reference: about.device_reference, ...event.values },
    alert_severity: event.alert_severity,
    related_entities: [about.device_reference, ...(event.related ?? [])].map((entity_id) => ({
      entity_id,
      entity_type: 'Device',
    })),
    group_id: about.group_id,
    now: about.now,
  })

/** Alert: a lost or stolen device is in use. */
export const alertOnBlocked = (
  tx: Tx,
  { device_reference, group_id }: KnownDevice,
  now: number,
): Promise<void> =>
  raise(
    tx,
    { device_reference, group_id, now },
    { text: 'blocked_device_seen', key: `blocked ${device_reference}`, alert_severity: 'High' },
  )

/**
 * Alert: a device waits for confirmation. `other`: the device with the same numbers. One alert collects the new devices
 * of a rollout.
 */
export const alertOnWaiting = (
  tx: Tx,
  about: About,
  reason: WaitingReason,
  {
    other,
    device_user_reference = '',
  }: { other?: string | undefined; device_user_reference?: string | undefined },
): Promise<void> =>
  raise(tx, about, {
    text: `device_waits_${reason}`,
    key: reason === 'unconfirmed' ? 'waits unconfirmed' : `waits ${reason} ${about.device_reference}`,
    alert_severity: 'High',
    values: { other: other ?? '', device_user_reference },
    related: other === undefined ? [] : [other],
  })

/** Alert: a device with a known key reports hardware numbers of another. */
export const alertOnForeignHardware = (tx: Tx, about: About, other: string): Promise<void> =>
  raise(tx, about, {
    text: 'device_hardware_of_another',
    key: `hardware of another ${about.device_reference}`,
    alert_severity: 'High',
    values: { other },
    related: [other],
  })

/** Alert: a device with a holder gives an unknown email. */
export const alertOnUnnamed = (tx: Tx, about: About): Promise<void> =>
  raise(tx, about, {
    text: 'device_email_unknown',
    key: `unknown email ${about.device_reference}`,
    alert_severity: 'Medium',
  })
