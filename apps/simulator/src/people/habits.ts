import { type Chance, chance } from '../chance.ts'
import type { DemoPerson } from '../demo-account.ts'

/** Recorded types, most frequent first. */
export const RECORDED = ['message', 'call', 'aborted', 'conference', 'photo', 'blocked', 'interview'] as const
export type Recorded = (typeof RECORDED)[number]

/** Work habits of a person, deterministic. */
export interface Habits {
  /** Working hours in local time. */
  opens: number
  closes: number
  /** Recordings of a typical working day. */
  daily: number
  /** Weights of the types. */
  mix: Readonly<Record<Recorded, number>>
  worksOnSaturdays: boolean
  /** Daily probabilities: some hours offline, and switched off until the next morning. */
  offline: number
  switchedOff: number
}

/** Daily probabilities: a new SIM, a reset, and a change of holder. */
export const RARE = { sim: 1 / 90, reset: 1 / 180, passed_on: 1 / 250 } as const

export function habitsOf(person: DemoPerson): Habits {
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
export function pickOf(mix: Habits['mix'], dice: Chance): Recorded {
  let left = dice.next() * RECORDED.reduce((sum, each) => sum + mix[each], 0)
  return RECORDED.find((each) => (left -= mix[each]) < 0) ?? 'message'
}
