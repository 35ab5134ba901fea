/** A number of a phone's SIM, with the first and last time (epoch seconds) that the phone reported it. */
export interface DevicePhoneNumber {
  phone_number: string
  first_verified: number
  last_verified: number
  slot_index: number
}

/** Numbers remembered per device, newest first. */
const REMEMBERED = 50

/** The numbers after a phone has reported `reported` (one per slot) at `now`; earlier numbers stay as history. */
export function mergePhoneNumbers(
  known: readonly DevicePhoneNumber[],
  reported: readonly string[],
  now: number,
): DevicePhoneNumber[] {
  const present = reported.map((phone_number, slot_index) => ({
    phone_number,
    first_verified: known.find((each) => each.phone_number === phone_number)?.first_verified ?? now,
    last_verified: now,
    slot_index,
  }))
  const earlier = known.filter((each) => !reported.includes(each.phone_number))
  return [...present, ...earlier].slice(0, REMEMBERED)
}
