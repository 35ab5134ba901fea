import type { PayloadMeta } from '@custodia/contract'
import { callingCodeOf } from './calling-codes.ts'

/** That a phone recorded through a carrier. */
export interface Sighting {
  country_code: number
  carrier_name: string
  /** Epoch seconds. */
  at: number
}

/** Longest name kept: phones write it as they like. */
const NAME_LENGTH = 100

/**
 * The carriers in the metadata of a payload. The country is that of the SIM's own number; without one in international form, or with
 * a calling code of three digits, it is not known and the carrier is left out. A phone's clock that runs ahead does not count.
 */
export function sightingsIn(
  { payload_carrier_metadata = [], payload_time }: PayloadMeta,
  now: number,
): Sighting[] {
  const at = Math.min(payload_time, now)
  return payload_carrier_metadata.flatMap(({ carrier_name, phone_number }) => {
    const name = (carrier_name ?? '')
      .normalize('NFC')
      .replaceAll(/\s+/gu, ' ')
      .trim()
      .slice(0, NAME_LENGTH)
      .trim()
    const country_code = callingCodeOf(phone_number ?? '')
    return name === '' || !name.isWellFormed() || country_code === undefined
      ? []
      : [{ country_code, carrier_name: name, at }]
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
