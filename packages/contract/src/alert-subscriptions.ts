import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { inClient } from './paging.ts'
import { LOCALES } from './phrases.ts'
import { Count, EpochSeconds, text } from './scalars.ts'

/** How soon alerts of a severity are mailed. */
export const MAIL_FREQUENCIES = ['never', 'daily', 'at_once'] as const
export type MailFrequency = (typeof MAIL_FREQUENCIES)[number]
/** To the address with which the identity provider vouched at the last sign-in, or to one that the person confirmed. */
export const ADDRESS_SOURCES = ['claimed', 'confirmed'] as const
export type AddressSource = (typeof ADDRESS_SOURCES)[number]
/** Days after the last sign-in in which alerts are mailed. */
export const MAILED_DAYS = 30
/** Seconds in which the code that was mailed to an address confirms it, and how many wrong ones are taken. */
export const CODE_SECONDS = 3600
export const CODE_TRIES = 5
/** Addresses that a person may have codes sent to within a day. */
export const CODES_A_DAY = 5

/**
 * Where mails may go: nothing that a mail server could read as two addresses, as a route or as a comment, and nothing that nobody sees.
 */
export const MailAddress = text(3, 255, [
  /^[^\p{C}\p{Z}<>()[\]\\,;:"@]+@[^\p{C}\p{Z}<>()[\]\\,;:"@]+$/u,
  'email',
])

const MailFrequency = z.enum(MAIL_FREQUENCIES)
const settings = {
  /** Of the mails. */
  language: z.enum(LOCALES),
  low: MailFrequency,
  medium: MailFrequency,
  high: MailFrequency,
  /** Hour (UTC) of the daily mail. */
  digest_hour: z.int().check(z.gte(0), z.lte(23)),
  address_source: z.enum(ADDRESS_SOURCES),
}
export const AlertSubscriptionInput = z.strictObject(settings)
export type AlertSubscriptionInput = z.output<typeof AlertSubscriptionInput>

/** What the caller is mailed, and where to. */
export const AlertSubscription = z.strictObject({
  /** Whether this installation sends mails. */
  can_send: z.boolean(),
  claimed_address: z.nullable(z.string()),
  confirmed_address: z.nullable(z.string()),
  /** When mails end unless the caller signs in again; null: they have ended. */
  mailed_until: z.nullable(EpochSeconds),
  /** The address that was given last and is not confirmed yet. */
  check: z.nullable(
    z.strictObject({
      address: z.string(),
      state: z.enum(['waiting', 'sent', 'failed']),
      expires_at: EpochSeconds,
      last_error: z.nullable(z.string()),
    }),
  ),
  /** Null: the caller has subscribed to nothing yet. */
  settings: z.nullable(AlertSubscriptionInput),
  /** Alerts that wait for their mail, and those whose mail was given up. */
  waiting: Count,
  dead: Count,
  /** Of the last mail that was tried: when, and what went wrong; null: nothing. */
  last_attempt_at: z.nullable(EpochSeconds),
  last_error: z.nullable(z.string()),
})
export type AlertSubscription = z.output<typeof AlertSubscription>

const row = {
  portal: 'admin',
  authentication: 'portal',
  concerns: 'account',
  path: 'profile/alert_subscription',
  params: inClient,
  response: AlertSubscription,
} as const

export const alertSubscriptionEndpoints = endpoints({
  readAlertSubscription: {
    ...row,
    method: 'GET',
    action: 'profile.alert_subscription:read',
    summary: 'Which alerts the caller is mailed, and where to',
  },
  saveAlertSubscription: {
    ...row,
    method: 'PUT',
    action: 'profile.alert_subscription:update',
    summary: 'Has alerts mailed to the caller, as far as the rights of the last sign-in let them see each',
    description: `A mail holds no number, name or content. None is sent ${MAILED_DAYS} days after the last sign-in.`,
    body: AlertSubscriptionInput,
    problems: ['wrong_state'],
  },
  deleteAlertSubscription: {
    ...row,
    method: 'DELETE',
    action: 'profile.alert_subscription:delete',
    summary: 'Ends the mails of the caller, and forgets the address',
    problems: ['not_found'],
  },
  testAlertSubscription: {
    ...row,
    method: 'POST',
    path: 'profile/alert_subscription/test',
    action: 'profile.alert_subscription:test',
    summary: 'Mails a test to the caller',
    problems: ['not_found', 'wrong_state'],
  },
  checkAlertAddress: {
    ...row,
    method: 'POST',
    path: 'profile/alert_subscription/address',
    action: 'profile.alert_subscription:check',
    summary: 'Mails a code to an address, with which the caller confirms it',
    body: z.strictObject({ address: MailAddress, language: z.enum(LOCALES) }),
    problems: ['wrong_state'],
    secrets: ['address'],
  },
  confirmAlertAddress: {
    ...row,
    method: 'PUT',
    path: 'profile/alert_subscription/address',
    action: 'profile.alert_subscription:confirm',
    summary: 'Confirms the address with the code that was mailed there; mails go there from now on',
    body: z.strictObject({ code: text(1, 20) }),
    problems: ['wrong_state'],
    secrets: ['code'],
  },
})
