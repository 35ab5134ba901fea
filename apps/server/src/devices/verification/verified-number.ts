import type { DevicePhoneNumber } from '../phone-numbers.ts'

/** Numbers remembered per device; the longest ago goes first. */
const REMEMBERED = 50

/**
 * The numbers of a device once a text that it sent came from `phone_number`. The network vouches for the number and not for the SIM's
 * place, so that one that the phone never reported itself counts as that of the first place.
 */
export function withVerifiedNumber(
  known: readonly DevicePhoneNumber[],
  phone_number: string,
  now: number,
): DevicePhoneNumber[] {
  const { first_verified = now, slot_index = 0 } =
    known.find((each) => each.phone_number === phone_number) ?? {}
  const others = known.filter((each) => each.phone_number !== phone_number)
  return [{ phone_number, first_verified, last_verified: now, slot_index }, ...others].slice(0, REMEMBERED)
}

/** A number without what people write between its digits; undefined for what is none (gateways also name senders by words). */
export function plainNumber(written: string): string | undefined {
  const plain = written.replaceAll(/[\s().-]/g, '')
  return /^\+?\d{3,15}$/.test(plain) ? plain : undefined
}
