import { ulid } from 'ulid'
import { findUser } from '../device-users/store.ts'
import { newSecret } from '../enrolments/secret.ts'
import { countEnrolments, insertEnrolment } from '../enrolments/store.ts'
import type { House } from '../house.ts'

/** Harriet's phone comes with hers; Imran's is still awaited. */
const PEOPLE = [
  { first_name: 'Harriet', device_user_reference: 'Harriet Cole', is_handed_out: true },
  { first_name: 'Imran', device_user_reference: 'Imran Shah', is_handed_out: false },
]
const SECONDS = 30 * 86_400

/**
 * Makes an enrolment for each of these people, unless the client has some already. Answers what the simulated phones come with, by first
 * names: nobody can be told again what was handed out before.
 */
export async function seedEnrolments(
  { db, now }: Pick<House, 'db' | 'now'>,
  client_id: number,
): Promise<Map<string, { enrolment: string }>> {
  return db.write(client_id, async (tx) => {
    const handedOut = new Map<string, { enrolment: string }>()
    const at = now()
    if ((await countEnrolments(tx, { reach: 'all', now: at })) > 0) return handedOut
    for (const { first_name, device_user_reference, is_handed_out } of PEOPLE) {
      const user = await findUser(tx, device_user_reference)
      if (!user) continue
      const { secret, secret_hash } = newSecret()
      const enrolment_reference = ulid(at * 1000)
      await insertEnrolment(tx, {
        enrolment_reference,
        device_user_id: user.device_user_id,
        secret_hash,
        description: null,
        max_uses: 1,
        created_at: at,
        created_by: 'demo',
        expires_at: at + SECONDS,
      })
      if (is_handed_out) handedOut.set(first_name, { enrolment: `${enrolment_reference}.${secret}` })
    }
    return handedOut
  })
}
