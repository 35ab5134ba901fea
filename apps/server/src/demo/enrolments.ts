import { DAY, ENROLMENT_DAYS_LIMIT } from '@custodia/contract'
import { ulid } from 'ulid'
import type { AppContext } from '../app-context.ts'
import {
  type NewEnrolmentRow,
  countEnrolments,
  insertEnrolment,
  newSecret,
} from '../device-records/enrolments-store.ts'
import { findUser } from '../device-users/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { DemoEnrolment, DemoPerson } from './people.ts'

/** Harriet's device comes with hers; Imran's has not come yet. */
const PEOPLE = [
  { first_name: 'Harriet', is_handed_out: true },
  { first_name: 'Imran', is_handed_out: false },
]

interface Codes {
  /** Of the roll-out. */
  enrolment: string
  /** Of people, by first names. */
  people: Map<string, string>
}

/**
 * Makes a code for the roll-out, which matches e-mail addresses, and codes for these people. What an earlier start handed out (`before`) stays
 * as it is.
 */
export const seedEnrolments = (
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  client_id: number,
  { before, people: ofClient }: { before: DemoEnrolment | undefined; people: readonly DemoPerson[] },
): Promise<Codes> =>
  db.write(client_id, async (tx) => {
    const at = now()
    const people = before ? getPeople(before) : await seedPeople(tx, at, ofClient)
    const enrolment =
      before?.enrolment ??
      (await addEnrolment(tx, at, {
        device_user_id: null,
        description: null,
        max_uses: null,
        matches_email: true,
        expires_at: at + ENROLMENT_DAYS_LIMIT * DAY,
      }))
    return { enrolment, people }
  })

const getPeople = ({ people }: DemoEnrolment): Map<string, string> =>
  new Map(people.flatMap(({ first_name, enrolment }) => (enrolment ? [[first_name, enrolment]] : [])))

async function seedPeople(tx: Tx, now: number, people: readonly DemoPerson[]): Promise<Map<string, string>> {
  const handedOut = new Map<string, string>()
  if ((await countEnrolments(tx, { reach: 'all', now })) > 0) return handedOut
  for (const { first_name, is_handed_out } of PEOPLE) {
    const person = people.find((each) => each.first_name === first_name)
    const user = person && (await findUser(tx, person.device_user_reference))
    if (!user) continue
    const enrolment = await addEnrolment(tx, now, {
      device_user_id: user.device_user_id,
      description: null,
      max_uses: 1,
      matches_email: false,
      expires_at: now + 30 * DAY,
    })
    if (is_handed_out) handedOut.set(first_name, enrolment)
  }
  return handedOut
}

/** Reference and secret, as a device presents them. */
async function addEnrolment(
  tx: Tx,
  now: number,
  row: Omit<NewEnrolmentRow, 'enrolment_reference' | 'secret_hash' | 'created_at' | 'created_by'>,
): Promise<string> {
  const { secret, secret_hash } = newSecret()
  const enrolment_reference = ulid(now * 1000)
  await insertEnrolment(tx, { ...row, enrolment_reference, secret_hash, created_at: now, created_by: 'demo' })
  return `${enrolment_reference}.${secret}`
}
