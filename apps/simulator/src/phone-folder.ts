import { join } from 'node:path'
import type { Enrolment } from '@custodia/device-sdk'
import type { DemoAccount, DemoPerson } from './demo-account.ts'

/** Where the phone of somebody keeps its queue and its key. */
export const phoneFolder = (
  phonesFolder: string,
  { account_reference }: DemoAccount,
  email: string,
): string => join(phonesFolder, account_reference, email.replace(/[^a-z0-9.@-]/gi, '_'))

/** What the phone of somebody is given to join its account. */
export function enrolmentOf(
  server_url: string,
  { account_reference, account_key }: DemoAccount,
  { enrolment }: DemoPerson,
): Enrolment {
  return enrolment === undefined
    ? { server_url, account_reference, account_key }
    : { server_url, account_reference, enrolment }
}
