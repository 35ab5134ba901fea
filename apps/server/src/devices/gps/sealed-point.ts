import type { GpsMeta } from '@custodia/contract'
import { associatedData, EnvelopeError, unwrapSecret, wrapSecret } from '@custodia/envelope'

/** Sealed fields of a position, in sealing order. */
export interface Fix {
  latitude: number
  longitude: number
  accuracy: number | null
  altitude: number | null
  timezone: string
  provider: string | null
}

/** Associated data: under another client, reference or time the position does not open. */
export interface Place {
  client: string
  gps_reference: string
  timestamp: number
}

const aadOf = ({ client, gps_reference, timestamp }: Place): Buffer =>
  associatedData({ client, payload_reference: gps_reference, kind: `gps ${timestamp}` })

/** Seals a position under the key of its device and day. */
export const sealFix = (key: Buffer, place: Place, fix: Fix): Buffer =>
  wrapSecret(key, Buffer.from(JSON.stringify(fix)), aadOf(place))

/** Opens a stored position; undefined when it does not open. */
export function openFix(key: Buffer, place: Place, sealed: Buffer): Fix | undefined {
  try {
    return JSON.parse(unwrapSecret(key, sealed, aadOf(place)).toString()) as Fix
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined
    throw error
  }
}

/** The stored fields of an uploaded position. */
export const fixOf = ({
  latitude,
  longitude,
  accuracy = null,
  altitude = null,
  timezone,
  provider = null,
}: GpsMeta): Fix => ({ latitude, longitude, accuracy, altitude, timezone, provider })
