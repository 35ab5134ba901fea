import { join } from 'node:path'
import type { Enrolment } from '@custodia/device-sdk'
import type { DemoAccount, DemoPerson } from './demo-account.ts'

/** Where the phone of somebody keeps its queue and its key. */
export const phoneFolder = (
  phonesFolder: string,
  { account_reference }: DemoAccount,
  email: string,
): string => join(phonesFolder, account_reference, email.replace(/[^a-z0-9.@-]/gi, '_'))

/** The code with which the device of a person joins its account: the person's own, else that of the roll-out. */
export const enrolmentOf = (server_url: string, account: DemoAccount, person: DemoPerson): Enrolment => ({
  server_url,
  account_reference: account.account_reference,
  enrolment: person.enrolment ?? account.enrolment,
})
