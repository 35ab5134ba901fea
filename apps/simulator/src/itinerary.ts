import type { DemoPerson } from './demo-account.ts'
import { type Chance, chance } from './chance.ts'
import { PLACES } from './places.ts'

const DAY = 86_400
const HOUR = 3600

type Spot = readonly [latitude: number, longitude: number]

/** A section of a day: a trip when it ends elsewhere. Seconds of the local day. */
interface Part {
  begin: number
  end: number
  from: Spot
  to: Spot
  /** Curvature of a trip, as a share of its length. */
  bend: number
  /** Underground: the device has no position. */
  isCovered: boolean
}

/** Position of a person at a time. */
export interface Whereabouts {
  latitude: number
  longitude: number
  isMoving: boolean
  isCovered: boolean
}

/**
 * Position of a demo person: home, work, meeting, or trip. Deterministic.
 * @param local local time as seconds since 1970-01-01
 */
export function whereabouts(person: Pick<DemoPerson, 'email' | 'locale'>, local: number): Whereabouts {
  const seconds = local % DAY
  const part = dayOf(person, Math.floor(local / DAY)).find(({ end }) => seconds < end) as Part
  const isMoving = part.from !== part.to
  const done = isMoving ? (seconds - part.begin) / (part.end - part.begin) : 0
  const [latitude, longitude] = along(part, done)
  // Underground in the middle of the trip.
  return { latitude, longitude, isMoving, isCovered: part.isCovered && done > 0.3 && done < 0.75 }
}

/** Two bends, and slower towards both ends. */
function along({ from, to, bend }: Part, done: number): Spot {
  const eased = done * done * (3 - 2 * done)
  const aside = Math.sin(eased * Math.PI) * bend + Math.sin(eased * 3 * Math.PI) * bend * 0.4
  const [north, east] = [to[0] - from[0], to[1] - from[1]]
  return [from[0] + north * eased - east * aside, from[1] + east * eased + north * aside]
}

/** Sections of a local day, in order, without gaps. */
function dayOf({ email, locale }: Pick<DemoPerson, 'email' | 'locale'>, day: number): Part[] {
  const life = chance(`life of ${email}`)
  const { spots } = PLACES[locale]
  const office = life.pick(spots)
  const home = near(life, spots[0] as Spot, 0.09)
  const takesTube = life.next() < 0.5
  const dice = chance(`day ${day} of ${email}`)
  // 1970-01-01 was a Thursday.
  const isWeekend = (day + 4) % 7 === 0 || (day + 4) % 7 === 6
  const parts: Part[] = []
  let here: Spot = home
  let clock = 0
  const stay = (until: number) => {
    if (until > clock)
      parts.push({ begin: clock, end: until, from: here, to: here, bend: 0, isCovered: false })
    clock = Math.max(clock, until)
  }
  const go = (to: Spot, minutes: number) => {
    const end = clock + minutes * 60
    const isCovered = takesTube && minutes > 25
    parts.push({ begin: clock, end, from: here, to, bend: (dice.next() - 0.5) * 0.5, isCovered })
    here = to
    clock = end
  }
  if (isWeekend) {
    stay(dice.between(9.5 * HOUR, 11 * HOUR))
    go(near(dice, home, 0.03), dice.between(12, 22))
    stay(clock + dice.between(HOUR, 2 * HOUR))
    go(near(dice, home, 0.05), dice.between(15, 28))
    stay(clock + dice.between(HOUR, 3 * HOUR))
    go(home, dice.between(15, 25))
  } else {
    stay(dice.between(7.3 * HOUR, 8.6 * HOUR))
    go(office, dice.between(26, 50))
    stay(dice.between(11.5 * HOUR, 12.3 * HOUR))
    go(dice.pick(spots.filter((spot) => spot !== office)), dice.between(12, 22))
    stay(clock + dice.between(0.75 * HOUR, 1.75 * HOUR))
    go(office, dice.between(12, 22))
    stay(dice.between(17.3 * HOUR, 18.8 * HOUR))
    go(home, dice.between(28, 55))
  }
  stay(DAY)
  return parts
}

const near = (dice: Chance, [latitude, longitude]: Spot, degrees: number): Spot => [
  latitude + (dice.next() - 0.5) * degrees,
  longitude + (dice.next() - 0.5) * degrees * 1.4,
]
