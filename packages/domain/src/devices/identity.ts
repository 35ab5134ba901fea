import type { WaitingReason } from '@custodia/contract'

/** The device that an authenticating device is by its key, or claims to be by its hardware numbers. */
export interface KnownIdentity {
  /** The pinned key; null: it was imported, and has not authenticated yet. */
  device_key: string | null
  /** Its holder; null: it has none. */
  holder: number | null
  is_waiting: boolean
}

export interface IdentityQuestion {
  /** Undefined: no device has this key or these numbers. */
  known: KnownIdentity | undefined
  /** The key that the device has proved to hold. */
  device_key: string
  /** The person whom the code or the sign-in names, else whom the device claims as its holder; null: no known person. */
  requested: number | null
  /** What says that the device is that person's; null: only the device itself. */
  verified_by: VerifiedIdentity | null
  /** Devices that this person is expected to have, and those that they have, without this one. */
  expected: number
  actual: number
}

/**
 * What says whose a device is, besides the device: a code made for that person; the person, by signing in on the device; or a code for a
 * roll-out whose maker chose that the claimed e-mail address decides.
 */
export type VerifiedIdentity = 'enrolment' | 'sign_in' | 'roll_out'

/** Which device it is, and whose. */
export type Identity =
  /** As it is stored, with its holder or without. */
  | { is: 'same' }
  /**
   * Filed with the requested person. With `as_another` it has the hardware of a device which that person holds, and replaces it: it was
   * reset and enrolled again.
   */
  | { is: 'claimed'; as_another: boolean }
  /**
   * An administrator must confirm it first. With `as_another` it is a device of its own that only claims to be the known one, whose
   * reference, holder and records stay as they are.
   */
  | { is: 'waits'; reason: WaitingReason; as_another: boolean }

/**
 * Decides which device authenticates, and whose it is (reading-the-spec, "Phones"). Only the pinned key proves a device; hardware numbers and
 * an e-mail address prove nothing. Without a voucher the result is the device with this key, or one that waits.
 */
export function identify(asked: IdentityQuestion): Identity {
  const { known, device_key } = asked
  if (known === undefined) return identifyNew(asked)
  if (known.device_key === null) return identifyImported(known, asked)
  return known.device_key === device_key ? identifyByKey(known, asked) : identifyImpostor(known, asked)
}

/** The device has proved to be the known one; the only question is whether its holder changes. */
function identifyByKey(known: KnownIdentity, asked: IdentityQuestion): Identity {
  const { requested, verified_by } = asked
  // Only an administrator's decision ends the waiting.
  if (known.is_waiting || requested === null || requested === known.holder) return { is: 'same' }
  if (known.holder === null) return identifyHolderless(asked)
  // A code may have been copied; a person who signs in has this very device in hand.
  return verified_by === 'sign_in'
    ? { is: 'claimed', as_another: false }
    : { is: 'waits', reason: 'holder', as_another: false }
}

function identifyHolderless(asked: IdentityQuestion): Identity {
  return asked.verified_by === null
    ? { is: 'waits', reason: 'holder', as_another: false }
    : identifyNew(asked)
}

/** Another key: a reset device of the same person, or an impostor. */
function identifyImpostor(known: KnownIdentity, { requested, verified_by }: IdentityQuestion): Identity {
  const isOfPerson = requested !== null && known.holder === requested
  return isOfPerson && (verified_by === 'enrolment' || verified_by === 'sign_in')
    ? { is: 'claimed', as_another: true }
    : { is: 'waits', reason: 'other_key', as_another: true }
}

/** Nothing proves that it is the imported device whose numbers it has, except a voucher for its holder. */
function identifyImported(known: KnownIdentity, asked: IdentityQuestion): Identity {
  const { requested } = asked
  if (known.holder !== null && requested !== null && requested !== known.holder)
    return { is: 'waits', reason: 'holder', as_another: true }
  const found = identifyNew(asked)
  return found.is === 'waits' ? { ...found, as_another: true } : found
}

function identifyNew({ requested, verified_by, expected, actual }: IdentityQuestion): Identity {
  if (requested === null || verified_by === null)
    return { is: 'waits', reason: 'unconfirmed', as_another: false }
  return verified_by !== 'roll_out' || actual < expected
    ? { is: 'claimed', as_another: false }
    : { is: 'waits', reason: 'beyond_expected', as_another: false }
}
