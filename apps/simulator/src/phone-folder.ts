import { join } from 'node:path'
import type { Enrolment } from '@custodia/device-sdk'
import type { DemoAccount, DemoPerson } from './demo-account.ts'

/** Folder of a person's device: queue and key. */
export const phoneFolder = (
  phonesFolder: string,
  { account_reference }: DemoAccount,
  email: string,
): string => join(phonesFolder, account_reference, email.replace(/[^a-z0-9.@-]/gi, '_'))

/** Enrolment code of a person's device: the person's own, else the roll-out's. */
export const enrolmentOf = (server_url: string, account: DemoAccount, person: DemoPerson): Enrolment => ({
  server_url,
  account_reference: account.account_reference,
  enrolment: person.enrolment ?? account.enrolment,
})
