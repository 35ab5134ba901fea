import type { WaitingReason } from '@custodia/contract'

/** The device that a phone seems to be, by its key or else its hardware. */
export interface KnownIdentity {
  /** The key that was pinned; null: none yet, the phone is unproved. */
  device_key: string | null
  /** Who holds it; null: nobody. */
  holder: number | null
  is_waiting: boolean
}

export interface IdentityQuestion {
  /** Undefined: such a phone was never seen. */
  known: KnownIdentity | undefined
  /** The key that the phone has proved to hold; null: it showed none. */
  device_key: string | null
  /** Whom it says it belongs to; null: to nobody, or to an address that nobody has. */
  requested: number | null
  /** Who stands up for it: somebody who made an enrolment for that person, or the person, by signing in. Null: nobody but the phone. */
  vouched_by: Voucher | null
  /** Phones that this person is to have, and those that they have, without this one. */
  expected: number
  actual: number
  /** Whether the account takes what phones without a key bring only once somebody has confirmed it. */
  are_keys_required: boolean
}

/** What proves whose a phone is, beside its own word. */
export type Voucher = 'enrolment' | 'sign_in'

/** Who a phone is, and whose. */
export type Identity =
  /** As it is stored, with its holder or without. */
  | { is: 'same' }
  /** Never seen, and it names nobody. */
  | { is: 'new' }
  /**
   * Filed under the person that it names: on its word, new or nobody's before; or because somebody vouches for it. With `as_another` it has
   * the hardware of a device which that person holds, and takes its place: it was reset, and given to them again.
   */
  | { is: 'claimed'; as_another: boolean }
  /**
   * Somebody must confirm it first. With `as_another` it is a device of its own: it only says that it is the one that is known, whose
   * reference, holder and records stay as they are.
   */
  | { is: 'waits'; reason: WaitingReason; as_another: boolean }

/**
 * Decides who a phone is that authenticates (reading-the-spec, "Phones"). The account key is shared by all phones of an account, so neither the
 * numbers of the hardware nor an address prove anything: once a key is pinned only that key does, and no phone changes hands by itself.
 * As long as a device has no key, whoever says its numbers speaks for it, but never moves it: whoever names another holder is a device of its own.
 */
export function identify({
  known,
  device_key,
  requested,
  vouched_by,
  expected,
  actual,
  are_keys_required,
}: IdentityQuestion): Identity {
  const isVouched = vouched_by !== null && requested !== null
  if (known && known.device_key !== null && known.device_key !== device_key) {
    // Nobody loses anything by it but whom it is vouched for.
    if (isVouched && device_key !== null && known.holder === requested)
      return { is: 'claimed', as_another: true }
    return { is: 'waits', reason: device_key === null ? 'without_key' : 'other_key', as_another: true }
  }
  // Waiting ends by a person's decision only, not by the phone's saying something else.
  if (known?.is_waiting) return { is: 'same' }
  const isOther =
    requested !== null && known !== undefined && known.holder !== null && known.holder !== requested
  // An enrolment may have been copied. Whoever signs in has the phone in hand; that it is this phone only its key says.
  if (isOther && vouched_by === 'sign_in' && known.device_key !== null)
    return { is: 'claimed', as_another: false }
  if (isOther) return { is: 'waits', reason: 'holder', as_another: known.device_key === null }
  if (are_keys_required && known && device_key === null)
    return { is: 'waits', reason: 'without_key', as_another: false }
  if (requested === null) return { is: known ? 'same' : 'new' }
  if (known?.holder === requested) return { is: 'same' }
  return isVouched || actual < expected
    ? { is: 'claimed', as_another: false }
    : { is: 'waits', reason: 'beyond_expected', as_another: false }
}
