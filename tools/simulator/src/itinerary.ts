import { createHash } from 'node:crypto'
import type { DemoPerson } from './media.ts'

/** Deterministic random numbers: the same seed gives the same fleet, so that an interrupted fill can resume. */
export interface Chance {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number
  pick<T>(list: readonly T[]): T
  digits(count: number): string
}

/** Mulberry32 over a hash of the seed; not for keys. */
export function chance(seed: string): Chance {
  let state = createHash('sha256').update(seed).digest().readUInt32LE()
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    pick: <T>(list: readonly T[]) => {
      if (list.length === 0) throw new RangeError('nothing to pick from')
      return list[between(0, list.length - 1)] as T
    },
    digits: (count) => Array.from({ length: count }, () => between(0, 9)).join(''),
  }
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A ULID-like payload_reference that depends on the name only. */
export function namedReference(name: string): string {
  const bytes = createHash('sha256').update(name).digest()
  const letters = Array.from(bytes.subarray(0, 26), (byte) => CROCKFORD[byte % 32])
  return `0${letters.slice(1).join('')}`
}

interface Place {
  timezone: string
  carriers: readonly string[]
  /** Offices and meeting places: latitude, longitude. */
  spots: readonly (readonly [number, number])[]
}

/** Workplaces per language. */
export const PLACES: Readonly<Record<DemoPerson['locale'], Place>> = {
  'en-GB': {
    timezone: 'Europe/London',
    carriers: ['EE', 'O2 - UK', 'Vodafone UK', 'Three UK'],
    spots: [
      [51.5138, -0.0984],
      [51.5054, -0.0235],
      [51.5079, -0.1357],
      [51.5225, -0.0837],
    ],
  },
  'pt-BR': {
    timezone: 'America/Sao_Paulo',
    carriers: ['Vivo', 'Claro BR', 'TIM Brasil'],
    spots: [
      [-23.5866, -46.6822],
      [-23.5614, -46.6559],
      [-23.6096, -46.6953],
    ],
  },
}

const clocks = new Map<string, Intl.DateTimeFormat>()
/** Cached: creating a formatter is slow. */
function getClock(timezone: string): Intl.DateTimeFormat {
  const known = clocks.get(timezone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  clocks.set(timezone, made)
  return made
}

/** Local time of `timezone` at `at` (epoch seconds), and the offset in minutes east of UTC. */
export function wallClock(timezone: string, at: number): { local_time: string; timezone_offset: number } {
  const parts = getClock(timezone).formatToParts(at * 1000)
  const of = Object.fromEntries(parts.map(({ type, value }) => [type, value]))
  const local_time = `${of.year}-${of.month}-${of.day}T${of.hour}:${of.minute}:${of.second}`
  return { local_time, timezone_offset: Math.round((Date.parse(`${local_time}Z`) / 1000 - at) / 60) }
}

const PLACES_DAY = 86_400
const OPENS = 8.5
const CLOSES = 18

/**
 * A working-hours time (epoch seconds) in `timezone`, `oldest` to `newest` days before `now`, that ends `length`
 * seconds later before now.
 */
export function workingMoment(
  chance: Chance,
  timezone: string,
  now: number,
  { length = 0, newest = 0, oldest = 7 }: { length?: number; newest?: number; oldest?: number },
): number {
  const latest = now - newest * PLACES_DAY - length
  const earliest = now - oldest * PLACES_DAY
  let moment = latest
  // A week always contains a working day; the bound covers shorter ranges.
  for (let tried = 0; tried < 500; tried++) {
    moment = Math.floor(earliest + chance.next() * (latest - earliest))
    const local = new Date((moment + wallClock(timezone, moment).timezone_offset * 60) * 1000)
    const hour = local.getUTCHours() + local.getUTCMinutes() / 60
    const weekday = local.getUTCDay()
    if (weekday > 0 && weekday < 6 && hour >= OPENS && hour < CLOSES) return moment
  }
  return moment
}

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
interface Whereabouts {
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
  const part = getDay(person, Math.floor(local / DAY)).find(({ end }) => seconds < end) as Part
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
function getDay({ email, locale }: Pick<DemoPerson, 'email' | 'locale'>, day: number): Part[] {
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
