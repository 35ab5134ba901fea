import { CALLING_CODES } from '@custodia/contract'

/** Calling code of a number in international form (`+447700900101` → 44); undefined for other forms and for codes of three digits. */
export function callingCodeOf(phone_number: string): number | undefined {
  const digits = /^\+([1-9][\d ().-]{5,})$/.exec(phone_number.trim())?.[1]?.replaceAll(/\D/g, '')
  if (digits === undefined) return undefined
  return [Number(digits.slice(0, 1)), Number(digits.slice(0, 2))].find((code) => code in CALLING_CODES)
}
