import type { DemoAccount, DemoPerson } from '../demo-account.ts'

/** Somebody whose phone has fallen silent before the demo begins. */
export interface QuietPerson {
  /** Days before now since when their phone has recorded nothing. */
  days: number
  /** Whether it is seen all the same. */
  isAlive: boolean
}

/** By first names: of a short weekend, of a phone that nobody finds, of one that is carried about and records no more. */
const QUIET: Readonly<Record<string, QuietPerson>> = {
  Marcus: { days: 1.4, isAlive: false },
  Molly: { days: 4.2, isAlive: false },
  Nadia: { days: 4.6, isAlive: true },
  Tom: { days: 3.5, isAlive: false },
}

/** What the demo tells of the silence of somebody's phone; undefined: it goes on as always. */
export const quietOf = ({ first_name, email }: DemoPerson): QuietPerson | undefined =>
  // Of the demo's own people: whoever plans for others names them as they like.
  email.startsWith(`${first_name.toLowerCase()}.`) ? QUIET[first_name] : undefined

/** Those of an account whose phones have fallen silent. */
export const quietPeopleOf = ({ people }: DemoAccount): (QuietPerson & { email: string })[] =>
  people.flatMap((person) => {
    const quiet = quietOf(person)
    return quiet ? [{ email: person.email, ...quiet }] : []
  })
