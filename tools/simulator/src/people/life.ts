import { chance, type Chance, PLACES, wallClock } from '../itinerary.ts'
import type { DemoAccount, DemoPerson } from '../media.ts'

/** Recorded types, most frequent first. */
const RECORDED = ['message', 'call', 'aborted', 'conference', 'photo', 'blocked', 'interview'] as const
type RecordedType = (typeof RECORDED)[number]

/** Work habits of a person, deterministic. */
interface Habits {
  /** Working hours in local time. */
  opens: number
  closes: number
  /** Recordings of a typical working day. */
  daily: number
  /** Weights of the types. */
  mix: Readonly<Record<RecordedType, number>>
  worksOnSaturdays: boolean
  /** Daily probabilities: some hours offline, and switched off until the next morning. */
  offline: number
  switchedOff: number
}

/** Daily probabilities: a new SIM, a reset, and a change of holder. */
const RARE = { sim: 1 / 90, reset: 1 / 180, passed_on: 1 / 250 } as const

export function getHabits(person: DemoPerson): Habits {
  const dice = chance(`habits ${person.email}`)
  const isTalker = dice.next() < 0.5
  return {
    opens: 7.5 + dice.next() * 2,
    closes: 16.5 + dice.next() * 3,
    daily: dice.between(2, 6),
    mix: {
      message: isTalker ? 30 : 60,
      call: isTalker ? 50 : 20,
      aborted: 6,
      conference: isTalker ? 8 : 3,
      photo: 6,
      blocked: 3,
      interview: isTalker ? 1 : 3,
    },
    worksOnSaturdays: dice.next() < 0.2,
    offline: 0.1 + dice.next() * 0.2,
    switchedOff: dice.next() * 0.05,
  }
}

/** A weighted random choice. */
function getPick(mix: Habits['mix'], dice: Chance): RecordedType {
  let left = dice.next() * RECORDED.reduce((sum, each) => sum + mix[each], 0)
  return RECORDED.find((each) => (left -= mix[each]) < 0) ?? 'message'
}

/** An event of a person's phone; times in epoch seconds. */
export type Act = { at: number } & (
  | { kind: 'record'; what: RecordedType }
  /** End of the offline period: recordings in it upload late. */
  | { kind: 'offline'; until: number }
  | { kind: 'sim'; phone_number: string }
  | { kind: 'reset' }
  | { kind: 'passed_on'; to: DemoPerson }
)

const DAY = 86_400
const HOUR = 3600
/** Days to look back for a phone that is still off. */
const LONGEST = 4

/** Events of a person's phone in a period, oldest first; deterministic. */
export function getLife(account: DemoAccount, person: DemoPerson, from: number, until: number): Act[] {
  const acts: Act[] = []
  // A night or weekend that began earlier may extend into the period.
  for (let day = Math.floor(from / DAY) - LONGEST; day <= Math.floor(until / DAY) + 1; day++)
    acts.push(...getDay(account, person, day))
  return acts.filter(({ at }) => at >= from && at < until).toSorted((a, b) => a.at - b.at)
}

/** Events of one calendar day; days count from 1 January 1970. */
function getDay({ account_reference, people }: DemoAccount, person: DemoPerson, day: number): Act[] {
  const dice = chance(`${account_reference} life ${person.email} ${day}`)
  const habits = getHabits(person)
  const weekday = (day + 4) % 7
  const isFree = weekday === 0 || (weekday === 6 && !habits.worksOnSaturdays)
  const midnight = day * DAY - wallClock(PLACES[person.locale].timezone, day * DAY).timezone_offset * 60
  const at = (hour: number) => midnight + Math.round(hour * HOUR)
  const working = () => at(habits.opens + dice.next() * (habits.closes - habits.opens))
  if (isFree) return dice.next() < 0.3 ? [{ at: at(11), kind: 'record', what: 'message' }] : []
  // Fewer calls around noon, and random variation per day.
  const acts: Act[] = Array.from({ length: Math.max(1, habits.daily + dice.between(-2, 2)) }, () => ({
    at: working(),
    kind: 'record',
    what: getPick(habits.mix, dice),
  }))
  if (dice.next() < habits.offline) {
    const begin = working()
    acts.push({ at: begin, kind: 'offline', until: begin + dice.between(1, 5) * HOUR })
  }
  // Fridays: until Monday.
  if (dice.next() < habits.switchedOff)
    acts.push({
      at: at(habits.closes),
      kind: 'offline',
      until: at(habits.opens) + (weekday === 5 ? 3 : 1) * DAY,
    })
  if (dice.next() < RARE.sim)
    acts.push({ at: working(), kind: 'sim', phone_number: getSim(person, dice.digits(3)) })
  if (dice.next() < RARE.reset) acts.push({ at: working(), kind: 'reset' })
  const others = people.filter(({ group, email }) => group === person.group && email !== person.email)
  if (dice.next() < RARE.passed_on && others.length > 0)
    acts.push({ at: working(), kind: 'passed_on', to: dice.pick(others) })
  return acts
}

const getSim = ({ phone_number }: DemoPerson, digits: string) => `${phone_number.slice(0, -3)}${digits}`
