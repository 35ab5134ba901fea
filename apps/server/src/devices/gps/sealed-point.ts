import type { GpsMeta } from '@custodia/contract'
import { associatedData, EnvelopeError, unwrapSecret, wrapSecret } from '@custodia/envelope'

/** What a position says beyond its name and time, in the order in which it is sealed. */
export interface Fix {
  latitude: number
  longitude: number
  accuracy: number | null
  altitude: number | null
  timezone: string
  provider: string | null
}

/** Where a position belongs: under another client, reference or time it does not open. */
export interface Place {
  client: string
  gps_reference: string
  timestamp: number
}

const aadOf = ({ client, gps_reference, timestamp }: Place): Buffer =>
  associatedData({ client, payload_reference: gps_reference, kind: `gps ${timestamp}` })

/** A position under the key of its phone and day. */
export const sealFix = (key: Buffer, place: Place, fix: Fix): Buffer =>
  wrapSecret(key, Buffer.from(JSON.stringify(fix)), aadOf(place))

/** What a stored position says; undefined when it does not open. */
export function openFix(key: Buffer, place: Place, sealed: Buffer): Fix | undefined {
  try {
    return JSON.parse(unwrapSecret(key, sealed, aadOf(place)).toString()) as Fix
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined
    throw error
  }
}

/** What is kept of what a phone sealed of one position. */
export const fixOf = ({
  latitude,
  longitude,
  accuracy = null,
  altitude = null,
  timezone,
  provider = null,
}: GpsMeta): Fix => ({ latitude, longitude, accuracy, altitude, timezone, provider })
