import { countryOfSim } from './calling-codes.ts'

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
