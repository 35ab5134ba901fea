import { type Chance, chance } from '../chance.ts'
import type { DemoPerson } from '../demo-account.ts'

/** What people record, from the most to the least usual. */
export const RECORDED = ['message', 'call', 'aborted', 'conference', 'photo', 'blocked', 'interview'] as const
export type Recorded = (typeof RECORDED)[number]

/** How somebody works: the same person always in the same way. */
export interface Habits {
  /** Hours of the day, by their own clock. */
  opens: number
  closes: number
  /** Recordings of a usual working day. */
  daily: number
  /** How often each is recorded, by weight. */
  mix: Readonly<Record<Recorded, number>>
  worksOnSaturdays: boolean
  /** Of a day: that the phone is without network for some hours, and that it is switched off until the next morning. */
  offline: number
  switchedOff: number
}

/** Of a day: that a phone gets another SIM, is reset, or is handed to somebody else. */
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

/** One of the mix, as often as it weighs. */
export function pickOf(mix: Habits['mix'], dice: Chance): Recorded {
  let left = dice.next() * RECORDED.reduce((sum, each) => sum + mix[each], 0)
  return RECORDED.find((each) => (left -= mix[each]) < 0) ?? 'message'
}
