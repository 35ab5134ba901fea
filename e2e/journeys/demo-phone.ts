import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryStore, openPhone, type Phone } from '@custodia/device-sdk'
import { type CarriedPhone, carriedPhone, type DemoAccount, type DemoPerson } from '@custodia/simulator'
import type { Locale } from './locales.ts'
import { demo } from './test.ts'

/**
 * A further device of a demo person, for the journey's recordings.
 * @param spare distinguishes several devices of one person
 */
export async function demoPhoneOf(
  client: string,
  locale: Locale,
  spare: number,
): Promise<{ carried: CarriedPhone; phone: Phone }> {
  const { url, dataDir } = demo()
  const enrolments = JSON.parse(
    await readFile(join(dataDir, 'demo', 'enrolments.json'), 'utf8'),
  ) as DemoAccount[]
  const isOurs = ({ email, locale: speaks }: DemoPerson) =>
    email.endsWith(`@${client}.example`) && speaks === locale
  const account = enrolments.find(({ people }) => people.some(isOurs))
  const person = account?.people.find(isOurs)
  if (!account || !person) throw new Error('the demo has no such person')
  const carried = carriedPhone(person, spare)
  const phone = await openPhone({
    enrolment: { server_url: url, ...account },
    identity: carried.identity,
    store: memoryStore(),
    onEvent: () => undefined,
  })
  return { carried, phone }
}
