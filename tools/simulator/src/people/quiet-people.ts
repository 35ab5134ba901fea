import type { DemoAccount, DemoPerson } from '../media.ts'

/** A person whose device is silent before the demo begins. */
export interface QuietPerson {
  /** Days since the last recording. */
  days: number
  /** Whether it still connects. */
  isAlive: boolean
}

/** By first name: a short weekend, a lost phone, and a phone that connects without recording. */
const QUIET: Readonly<Record<string, QuietPerson>> = {
  Marcus: { days: 1.4, isAlive: false },
  Molly: { days: 4.2, isAlive: false },
  Nadia: { days: 4.6, isAlive: true },
  Tom: { days: 3.5, isAlive: false },
}

/** The demo's silence of a person's device; undefined: active. */
export const getQuietPerson = ({ first_name, email }: DemoPerson): QuietPerson | undefined =>
  // Only the demo's own people: other plans choose their own names.
  email.startsWith(`${first_name.toLowerCase()}.`) ? QUIET[first_name] : undefined

/** People of an account with silent devices. */
export const getQuietPeople = ({ people }: DemoAccount): (QuietPerson & { email: string })[] =>
  people.flatMap((person) => {
    const quiet = getQuietPerson(person)
    return quiet ? [{ email: person.email, ...quiet }] : []
  })
