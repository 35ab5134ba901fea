import { CALLING_CODES } from '@custodia/contract'

/** Calling code of a number in international form (`+447700900101` → 44); undefined for other forms and for codes of three digits. */
export function callingCodeOf(phone_number: string): number | undefined {
  const digits = /^\+([1-9][\d ().-]{5,})$/.exec(phone_number.trim())?.[1]?.replaceAll(/\D/g, '')
  if (digits === undefined) return undefined
  return [Number(digits.slice(0, 1)), Number(digits.slice(0, 2))].find((code) => code in CALLING_CODES)
}

/** Regions of codes that CALLING_CODES names by a larger one, or by another country. */
const SHARED: Readonly<Record<string, number>> = { US: 1, CA: 1, KZ: 7 }
const OF_REGION: ReadonlyMap<string, number> = new Map(
  Object.entries(CALLING_CODES).map(([code, region]) => [region, Number(code)]),
)

/** Calling code of a country (ISO 3166-1 alpha-2, in any case); undefined for those of three digits. */
export const callingCodeOfCountry = (country: string): number | undefined =>
  SHARED[country.toUpperCase()] ?? OF_REGION.get(country.toUpperCase())
