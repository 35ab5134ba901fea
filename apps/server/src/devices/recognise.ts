import type { AuthenticateRequest } from '@custodia/contract'
import { identify, type Voucher } from '@custodia/domain'
import type { Tx } from '../ports/database/lease.ts'
import { type Hardware, hardwareOf } from './hardware.ts'
import {
  countPhonesOf,
  findBlocked,
  findDeviceByHardware,
  findDeviceByKey,
  findDeviceByNumbers,
  findKeylessTwin,
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
  readKeysRequired,
} from './store.ts'

/** Who a phone is, and whose from now on. */
export interface Recognised {
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

/** A phone that is refused: one that is blocked, or one that was never seen and has no key, where keys are required. */
export type Shut = { blocked: KnownDevice } | { keyless: string | null; pretended: KnownDevice | undefined }

/** Somebody whose phone it is by more than its own word. */
export interface Vouched {
  by: Voucher
  person: NamedHolder
}

/** Finds out who a phone is that has proved to hold this key, or none. Phones of the same hardware are asked one after another. */
export async function recognise(
  tx: Tx,
  request: AuthenticateRequest,
  device_key: string | null,
  vouched?: Vouched,
): Promise<Recognised | Shut> {
  const hardware = hardwareOf(request)
  await lockHardware(tx, hardware, device_key)
  const byKey = device_key === null ? undefined : await findDeviceByKey(tx, device_key)
  const seeming = byKey ?? (await findDeviceByHardware(tx, hardware))
  const blocked = ifBlocked(seeming) ?? (await findBlocked(tx, hardware))
  if (blocked) return { blocked }
  const are_keys_required = device_key === null && (await readKeysRequired(tx))
  const named =
    vouched?.person ??
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
    vouched_by: vouched?.by ?? null,
    expected: named?.expected_device_count ?? 0,
    actual,
    are_keys_required,
  })
  const pretended = identity.is === 'waits' && identity.as_another ? seeming : undefined
  const replaced = identity.is === 'claimed' && identity.as_another ? seeming : undefined
  const known = pretended
    ? await twinOf(tx, pretended, { device_key, named })
    : replaced
      ? undefined
      : seeming
  const blockedTwin = ifBlocked(known)
  if (blockedTwin) return { blocked: blockedTwin }
  // Nothing of it is here yet that it could hand over.
  if (are_keys_required && !known) return { keyless: hardware.serial_number, pretended }
  const owner_of_numbers = byKey && (await otherOwner(tx, byKey, hardware))
  const all = {
    known,
    pretended,
    replaced,
    named,
    owner_of_numbers,
    hardware: ownHardware(hardware, known, owner_of_numbers),
  }
  if (identity.is !== 'waits' || (known && known.waiting_since !== null)) {
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

/** With a key that nobody has it is a new one each time; without, it is the one that said so before. */
const twinOf = async (
  tx: Tx,
  { device_id }: KnownDevice,
  { device_key, named }: { device_key: string | null; named: NamedHolder | null | undefined },
) => (device_key === null ? findKeylessTwin(tx, device_id, named?.device_user_id ?? null) : undefined)

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
