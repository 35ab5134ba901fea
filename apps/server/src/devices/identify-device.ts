import type { AuthenticateRequest } from '@custodia/contract'
import { identify, type VerifiedIdentity } from '@custodia/domain'
import type { Tx } from '../ports/database/lease.ts'
import { type Hardware, hardwareOf } from '../device-records/hardware.ts'
import {
  countPhonesOf,
  findBlocked,
  findDeviceByHardware,
  findDeviceByKey,
  findDeviceByNumbers,
  readReservedGroup,
  type Waiting,
} from './identity-store.ts'
import { grantedTo } from './licensed-services.ts'
import {
  findDeviceUser,
  type Holder,
  type KnownDevice,
  lockHardware,
  type NamedHolder,
  readDefaultGroup,
} from '../device-records/store.ts'

/** Who a phone is, and whose from now on. */
export interface Identified {
  /** Its device as it was before; undefined: it gets one of its own. */
  known: KnownDevice | undefined
  holder: Holder
  hardware: Hardware
  /** What it is to record, as far as licences go. */
  granted: readonly string[]
  /** What it waits for from now on; undefined: nothing new. */
  waiting: Waiting | undefined
  /** The device that it says it is, without proving it. */
  pretended: KnownDevice | undefined
  /** Whose address it gave; null: nobody's. Undefined: it gave none. */
  named: NamedHolder | null | undefined
  /** The device whose place it takes: the same hardware with the key of before, of the same person. */
  replaced: KnownDevice | undefined
  /** Another device of which it says the numbers, although its key is known. */
  owner_of_numbers: KnownDevice | undefined
}

/** A blocked device, which is refused. */
export interface Blocked {
  blocked: KnownDevice
}

/** The person whose device it is by more than its own claim. */
export interface VerifiedHolder {
  by: VerifiedIdentity
  person: NamedHolder
}

/** Finds out which device has proved to hold this key, and whose it is. Devices with the same hardware numbers are handled one after another. */
export async function identifyDevice(
  tx: Tx,
  request: AuthenticateRequest,
  device_key: string,
  verifiedHolder?: VerifiedHolder,
): Promise<Identified | Blocked> {
  const hardware = hardwareOf(request)
  await lockHardware(tx, hardware, device_key)
  const byKey = await findDeviceByKey(tx, device_key)
  const seeming = byKey ?? (await findDeviceByHardware(tx, hardware))
  const blocked = ifBlocked(seeming) ?? (await findBlocked(tx, hardware))
  if (blocked) return { blocked }
  const named =
    verifiedHolder?.person ??
    (request.email ? ((await findDeviceUser(tx, request.email, seeming?.device_user_id)) ?? null) : undefined)
  const actual = named ? await countPhonesOf(tx, named.device_user_id, seeming?.device_id) : 0
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
  const pretended = identity.is === 'waits' && identity.as_another ? seeming : undefined
  const replaced = identity.is === 'claimed' && identity.as_another ? seeming : undefined
  const known = pretended || replaced ? undefined : seeming
  const owner_of_numbers = byKey && (await otherOwner(tx, byKey, hardware))
  const all = {
    known,
    pretended,
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
      granted: await grantedTo(tx, holder, known),
      waiting: undefined,
    }
  }
  // Meanwhile it records what it did before, or the one that it probably is: what nobody records is lost.
  const before = known ?? pretended
  const granted = before ? await grantedTo(tx, before, before) : []
  return {
    ...all,
    holder: { device_user_id: null, group_id: await readReservedGroup(tx) },
    granted,
    waiting: {
      reason: identity.reason,
      requested_user_id: named?.device_user_id ?? null,
      before: known ? { device_user_id: known.device_user_id, group_id: known.group_id } : null,
      same_hardware_as: pretended?.device_id ?? known?.same_hardware_as ?? null,
      services: granted,
    },
  }
}

const ifBlocked = (device: KnownDevice | undefined): KnownDevice | undefined =>
  device && device.blocked_at !== null ? device : undefined

async function otherOwner(tx: Tx, device: KnownDevice, hardware: Hardware): Promise<KnownDevice | undefined> {
  const owner = await findDeviceByNumbers(tx, hardware)
  const isOther = owner !== undefined && owner.device_id !== device.device_id
  // That it says so of this one is known already.
  return isOther && owner.device_id !== device.same_hardware_as ? owner : undefined
}

/**
 * A phone without its second SIM tray, or without the right to read its IMEI, is still the phone with these IMEIs; and numbers of
 * another one do not become its own.
 */
function ownHardware(
  hardware: Hardware,
  known: KnownDevice | undefined,
  owner_of_numbers: KnownDevice | undefined,
): Hardware {
  const { serial_number = null, imeis = [] } = known ?? {}
  if (owner_of_numbers) return { ...hardware, serial_number, imeis }
  return { ...hardware, imeis: hardware.imeis.length > 0 ? hardware.imeis : imeis }
}
