import { memoryStore, openPhone, type Phone } from '@custodia/device-sdk'
import { type CarriedPhone, carriedPhone, findDemoPerson } from '@custodia/simulator'
import type { Locale } from './locales.ts'
import { demo } from './test.ts'

/**
 * A further device of a demo person, for the journey's recordings.
 * @param spare distinguishes several devices of one person
 */
export async function getDemoPhone(
  client: string,
  locale: Locale,
  spare: number,
): Promise<{ carried: CarriedPhone; phone: Phone }> {
  const { url, dataDir } = demo()
  const { account, person } = await findDemoPerson(
    dataDir,
    ({ email, locale: speaks }) => email.endsWith(`@${client}.example`) && speaks === locale,
  )
  const carried = carriedPhone(person, spare)
  const phone = await openPhone({
    enrolment: { server_url: url, ...account },
    identity: carried.identity,
    store: memoryStore(),
    onEvent: () => undefined,
  })
  return { carried, phone }
}
