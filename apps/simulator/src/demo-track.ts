import type { GpsMeta } from '@custodia/contract'
import type { CarriedPhone } from './carried-phone.ts'
import { chance, namedReference } from './chance.ts'
import { whereabouts } from './itinerary.ts'
import { wallClock } from './places.ts'

const DAY = 86_400
/** Days of positions per device, today included. */
const DAYS = 3
/** Seconds between positions while moving, and while staying. */
const MOVING = 60
const STAYING = 600

/** Positions of a demo device from the start of the day before yesterday until `now` (epoch seconds); deterministic. */
export function demoTrack(
  account_reference: string,
  { person, timezone }: CarriedPhone,
  now: number,
): GpsMeta[] {
  const begin = now - (now % DAY) - (DAYS - 1) * DAY
  const track: GpsMeta[] = []
  const offset = wallClock(timezone, begin).timezone_offset * 60
  for (let timestamp = begin; timestamp <= now; timestamp += MOVING) {
    const { latitude, longitude, isMoving, isCovered } = whereabouts(person, timestamp + offset)
    if (isCovered || (!isMoving && timestamp % STAYING !== 0)) continue
    const name = `${account_reference} position ${person.email} ${timestamp}`
    const dice = chance(name)
    // Outdoors GNSS positions, indoors network positions.
    const accuracy = isMoving ? dice.between(4, 18) : dice.between(12, 60)
    const nearby = () => ((dice.next() - 0.5) * accuracy) / 111_000
    track.push({
      gps_reference: namedReference(name),
      timestamp,
      latitude: rounded(latitude + nearby()),
      longitude: rounded(longitude + nearby()),
      accuracy,
      altitude: dice.between(8, 40),
      timezone,
      provider: isMoving ? 'gps' : dice.pick(['fused', 'network']),
    })
  }
  return track
}

const rounded = (degrees: number): number => Math.round(degrees * 1e6) / 1e6
