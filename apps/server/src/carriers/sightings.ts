import { CALLING_CODES } from '@custodia/contract'

/** Calling code of an international number (`+351912345678` → 351); undefined for other forms. */
export function callingCodeOf(phone_number: string): number | undefined {
  const digits = /^\+([1-9][\d ().-]{5,})$/.exec(phone_number.trim())?.[1]?.replaceAll(/\D/g, '')
  if (digits === undefined) return undefined
  return [1, 2, 3].map((length) => Number(digits.slice(0, length))).find((code) => code in CALLING_CODES)
}

/** Countries that share a calling code, which CALLING_CODES lists under another country or the continent. */
const SHARED: Readonly<Record<number, string>> = {
  1: 'US CA AG AI AS BB BM BS DM DO GD GU JM KN KY LC MP MS PR SX TC TT VC VG VI',
  7: 'KZ',
  39: 'VA',
  44: 'GG IM JE',
  47: 'SJ',
  61: 'CC CX',
  212: 'EH',
  262: 'YT',
  290: 'AC TA',
  358: 'AX',
  590: 'BL MF',
  599: 'BQ',
}
const OF_COUNTRY: ReadonlyMap<string, number> = new Map([
  ...Object.entries(CALLING_CODES).map(([code, country]) => [country, Number(code)] as const),
  ...Object.entries(SHARED).flatMap(([code, countries]) =>
    countries.split(' ').map((country) => [country, Number(code)] as const),
  ),
])

/** Calling code of a country (ISO 3166-1 alpha-2); undefined without one. */
export const callingCodeOfCountry = (country: string): number | undefined => OF_COUNTRY.get(country)

/**
 * Country of a SIM (ISO 3166-1 alpha-2, or `003` for North America): from its number, and from the card for shared
 * calling codes or without a number.
 */
export function countryOfSim(phone_number: string, card: string): string | undefined {
  const named = /^[A-Z]{2}$/i.test(card) ? card.toUpperCase() : undefined
  const code = callingCodeOf(phone_number)
  if (code === undefined || (named && callingCodeOfCountry(named) === code)) return named
  return CALLING_CODES[code]
}

/** A device that recorded through a carrier. */
export interface Sighting {
  /** ISO 3166-1 alpha-2, or `003`. */
  country: string
  carrier_name: string
  /** Epoch seconds. */
  at: number
}

/** Carriers in payload metadata or a device report. */
export interface CarriersSeen {
  payload_time: number
  payload_carrier_metadata?: readonly {
    carrier_name?: string | null | undefined
    phone_number?: string | null | undefined
    /** Country of the card, ISO 3166-1 alpha-2. */
    country?: string | undefined
  }[]
}

/** Maximum name length, because devices send free text. */
const NAME_LENGTH = 100

/** Sightings of carriers. A carrier without a country is left out; times in the future do not count. */
export function sightingsIn(
  { payload_carrier_metadata = [], payload_time }: CarriersSeen,
  now: number,
): Sighting[] {
  const at = Math.min(payload_time, now)
  return payload_carrier_metadata.flatMap(({ carrier_name, phone_number, country: card }) => {
    const name = (carrier_name ?? '')
      .normalize('NFC')
      .replaceAll(/\s+/gu, ' ')
      .trim()
      .slice(0, NAME_LENGTH)
      .trim()
    const country = countryOfSim(phone_number ?? '', card ?? '')
    return name === '' || !name.isWellFormed() || country === undefined
      ? []
      : [{ country, carrier_name: name, at }]
  })
}

/** Code of a carrier: its name in capitals and digits without accents, equal for all spellings. */
export function carrierCodeOf(carrier_name: string): string {
  return carrier_name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
}
