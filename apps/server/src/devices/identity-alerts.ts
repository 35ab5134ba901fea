import type { WaitingReason } from '@custodia/contract'
import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { KnownDevice } from './store.ts'

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
    alert_key: `${event.key} ${about.device_reference}`,
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

/** A phone that was reported lost or stolen is being used. */
export const tellOfBlocked = (
  tx: Tx,
  { device_reference, group_id }: KnownDevice,
  now: number,
): Promise<void> =>
  raise(
    tx,
    { device_reference, group_id, now },
    { text: 'blocked_device_seen', key: 'blocked', alert_severity: 'High' },
  )

/** A phone waits for confirmation: one alert for each phone and reason. `other`: the device that it says it is. */
export const tellOfWaiting = (
  tx: Tx,
  about: About,
  reason: WaitingReason,
  {
    other,
    device_user_reference = '',
  }: { other?: string | undefined; device_user_reference?: string | undefined },
): Promise<void> =>
  raise(tx, about, {
    text:
      reason === 'without_key' && other === undefined ? 'device_waits_unproved' : `device_waits_${reason}`,
    key: `waits ${reason}`,
    alert_severity: 'High',
    values: { other: other ?? '', device_user_reference },
    related: other === undefined ? [] : [other],
  })

/** A phone without a key was refused, for keys are required. `pretended`: the device of which it said the numbers. */
export const tellOfKeyless = (
  tx: Tx,
  {
    keyless,
    pretended,
    ...about
  }: { keyless: string | null; pretended: KnownDevice | undefined } & Pick<AlertEvent, 'now' | 'group_id'>,
): Promise<void> =>
  raiseAlert(tx, {
    alert_type: 'DeviceAlert',
    alert_scopes: ['sec'],
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_key: pretended ? `keyless ${pretended.device_reference}` : 'keyless',
    text: pretended ? 'keyless_device_as_another' : 'keyless_device_refused',
    values: { serial_number: keyless ?? '–', other: pretended?.device_reference ?? '' },
    alert_severity: pretended ? 'High' : 'Medium',
    related_entities: pretended ? [{ entity_id: pretended.device_reference, entity_type: 'Device' }] : [],
    ...about,
  })

/** A phone that is known by its key says numbers of another one. */
export const tellOfForeignHardware = (tx: Tx, about: About, other: string): Promise<void> =>
  raise(tx, about, {
    text: 'device_hardware_of_another',
    key: 'hardware of another',
    alert_severity: 'High',
    values: { other },
    related: [other],
  })

/** A phone with a holder gives an address that nobody has. */
export const tellOfNobody = (tx: Tx, about: About): Promise<void> =>
  raise(tx, about, { text: 'device_names_nobody', key: 'names nobody', alert_severity: 'Medium' })
