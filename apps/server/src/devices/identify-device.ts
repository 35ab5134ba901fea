import type { AuthenticateRequest, WaitingReason } from '@custodia/contract'
import { type VerifiedIdentity, identify } from '@custodia/domain'
import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'
import { type Hardware, getHardware } from '../device-records/hardware.ts'
import {
  type Holder,
  type KnownDevice,
  type NamedHolder,
  findDeviceUser,
  lockHardware,
  readDefaultGroup,
  readServices,
} from '../device-records/store.ts'
import { lockLimits, readUse } from '../licenses/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import {
  type WaitingState,
  countDevicesOf,
  findBlocked,
  findDeviceByHardware,
  findDeviceByKey,
  findDeviceByNumbers,
  readReservedGroup,
} from './identity-store.ts'

/** Services that the licences allow: those of the holder, else of the device. */
export const grantedServices = async (
  tx: Tx,
  { device_user_id }: Pick<Holder, 'device_user_id'>,
  known: KnownDevice | undefined,
): Promise<string[]> => (device_user_id === null ? (known?.services ?? []) : readServices(tx, device_user_id))

interface AuthenticationFacts {
  device_reference: string
  /** The device before this authentication. */
  known: KnownDevice | undefined
  holder: Holder
  granted: readonly string[]
  now: number
}

/**
 * Services without a free licence on activation or change of holder; raises an AccountAlert. A service in use is never
 * removed.
 */
export async function unlicensedServices(
  tx: Tx,
  { device_reference, known, holder, granted, now }: AuthenticationFacts,
): Promise<string[]> {
  const isActive = known !== undefined && known.activated_at !== null && !known.is_deactivated
  const before = isActive ? (await grantedServices(tx, known, known)).filter(isLicensedFor(known)) : []
  const begins = granted.filter((service) => !before.includes(service))
  if (begins.length === 0) return []
  const { limits } = await lockLimits(tx)
  const used = await readUse(tx, known?.device_id)
  const over = begins.filter((service) => {
    const of = service as keyof typeof limits
    return used[of] >= limits[of]
  })
  // An unchanged shortage raises no new alert.
  const isNews = over.some((service) => !isActive || !known.unlicensed_services.includes(service))
  if (isNews) await alertOnShortage(tx, { device_reference, services: over, group_id: holder.group_id, now })
  return over
}

const isLicensedFor =
  ({ unlicensed_services }: KnownDevice) =>
  (service: string) =>
    !unlicensed_services.includes(service)

const alertOnShortage = (
  tx: Tx,
  what: { device_reference: string; services: readonly string[]; group_id: number; now: number },
): Promise<void> =>
  raiseAlert(tx, {
    alert_type: 'AccountAlert',
    alert_scopes: ['ops'],
    alert_key: 'licenses short',
    text: 'licenses_short',
    values: { device_reference: what.device_reference, services: what.services.join(', ') },
    alert_severity: 'Medium',
    related_entities: [{ entity_id: what.device_reference, entity_type: 'Device' }],
    group_id: what.group_id,
    now: what.now,
  })

/** The identity of a device and its holder. */
export interface IdentifiedDevice {
  /** The stored device; undefined for a new device. */
  known: KnownDevice | undefined
  holder: Holder
  hardware: Hardware
  /** Services that the licences allow. */
  granted: readonly string[]
  /** New reason to wait for confirmation; undefined without one. */
  waiting: WaitingState | undefined
  /** The device that it claims to be, without proof. */
  claimed: KnownDevice | undefined
  /** User with the given email; null for an unknown email, undefined without an email. */
  named: NamedHolder | null | undefined
  /** The replaced device: the same hardware and user with the former key. */
  replaced: KnownDevice | undefined
  /** Another device with the same hardware numbers, although the key is known. */
  owner_of_numbers: KnownDevice | undefined
}

/** A blocked device; the server refuses it. */
interface BlockedDevice {
  blocked: KnownDevice
}

/** A holder who is proven by more than the device's own claim. */
export interface VerifiedHolder {
  by: VerifiedIdentity
  person: NamedHolder
}

/** Identifies the device with this key and its holder. Serialises devices with the same hardware numbers. */
export async function identifyDevice(
  tx: Tx,
  request: AuthenticateRequest,
  device_key: string,
  verifiedHolder?: VerifiedHolder,
): Promise<IdentifiedDevice | BlockedDevice> {
  const hardware = getHardware(request)
  await lockHardware(tx, hardware, device_key)
  const byKey = await findDeviceByKey(tx, device_key)
  const seeming = byKey ?? (await findDeviceByHardware(tx, hardware))
  const blocked = ifBlocked(seeming) ?? (await findBlocked(tx, hardware))
  if (blocked) return { blocked }
  const named =
    verifiedHolder?.person ??
    (request.email ? ((await findDeviceUser(tx, request.email, seeming?.device_user_id)) ?? null) : undefined)
  const actual = named ? await countDevicesOf(tx, named.device_user_id, seeming?.device_id) : 0
  const identity = identify({
    known: seeming && {
      device_key: seeming.device_key,
      holder: seeming.device_user_id,
      is_waiting: seeming.waiting_since !== null,
    },
    device_key,
    requested: named?.device_user_id ?? null,
    verified_by: verifiedHolder?.by ?? null,
    expected: named?.expected_device_count ?? 0,
    actual,
  })
  const claimed = identity.is === 'waits' && identity.as_another ? seeming : undefined
  const replaced = identity.is === 'claimed' && identity.as_another ? seeming : undefined
  const known = claimed || replaced ? undefined : seeming
  const owner_of_numbers = byKey && (await otherOwner(tx, byKey, hardware))
  const all = {
    known,
    claimed,
    replaced,
    named,
    owner_of_numbers,
    hardware: ownHardware(hardware, known, owner_of_numbers),
  }
  if (identity.is !== 'waits') {
    const holder =
      identity.is === 'claimed' && named
        ? named
        : (known ?? { device_user_id: null, group_id: await readDefaultGroup(tx) })
    const { device_user_id, group_id } = holder
    return {
      ...all,
      holder: { device_user_id, group_id },
      granted: await grantedServices(tx, holder, known),
      waiting: undefined,
    }
  }
  // It keeps the services of its former or claimed device meanwhile, because unrecorded communication is lost.
  const before = known ?? claimed
  const granted = before ? await grantedServices(tx, before, before) : []
  return {
    ...all,
    holder: { device_user_id: null, group_id: await readReservedGroup(tx) },
    granted,
    waiting: {
      reason: identity.reason,
      requested_user_id: named?.device_user_id ?? null,
      before: known ? { device_user_id: known.device_user_id, group_id: known.group_id } : null,
      same_hardware_as: claimed?.device_id ?? known?.same_hardware_as ?? null,
      services: granted,
    },
  }
}

const ifBlocked = (device: KnownDevice | undefined): KnownDevice | undefined =>
  device && device.blocked_at !== null ? device : undefined

async function otherOwner(tx: Tx, device: KnownDevice, hardware: Hardware): Promise<KnownDevice | undefined> {
  const owner = await findDeviceByNumbers(tx, hardware)
  const isOther = owner !== undefined && owner.device_id !== device.device_id
  // This mismatch is already known.
  return isOther && owner.device_id !== device.same_hardware_as ? owner : undefined
}

/** Keeps missing IMEIs of the same device and ignores numbers of another one. */
function ownHardware(
  hardware: Hardware,
  known: KnownDevice | undefined,
  owner_of_numbers: KnownDevice | undefined,
): Hardware {
  const { serial_number = null, imeis = [] } = known ?? {}
  if (owner_of_numbers) return { ...hardware, serial_number, imeis }
  return { ...hardware, imeis: hardware.imeis.length > 0 ? hardware.imeis : imeis }
}

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
export const alertOnBlocked = (tx: Tx, about: About): Promise<void> =>
  raise(tx, about, {
    text: 'blocked_device_seen',
    key: `blocked ${about.device_reference}`,
    alert_severity: 'High',
  })

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
