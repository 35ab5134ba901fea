import { countryOfSim } from './calling-codes.ts'

/** That a phone recorded through a carrier. */
export interface Sighting {
  /** ISO 3166-1 alpha-2, or `003`. */
  country: string
  carrier_name: string
  /** Epoch seconds. */
  at: number
}

/** Through which carriers a phone recorded or was in reach: as the metadata of payloads says, or a report of the phone. */
export interface CarriersSeen {
  payload_time: number
  payload_carrier_metadata?: readonly {
    carrier_name?: string | null | undefined
    phone_number?: string | null | undefined
    /** Of the card, ISO 3166-1 alpha-2. */
    country?: string | undefined
  }[]
}

/** Longest name kept: phones write it as they like. */
const NAME_LENGTH = 100

/**
 * The carriers that were seen. Where neither the SIM's own number nor the card tells the country, the carrier is left out.
 * A device clock that runs ahead does not count.
 */
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

/** Code of a carrier: its name in capitals, letters and digits without accents; the same however it is written. */
export function carrierCodeOf(carrier_name: string): string {
  return carrier_name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
}
