import * as z from 'zod/mini'
import type { AlertSeverity, AlertType } from './alerts.ts'
import { ADMIN_ACCOUNT, endpoints, post, put } from './endpoint.ts'
import { LOCALES, phrase, type Phrase } from './phrases.ts'
import { Count, EpochSeconds, text } from './scalars.ts'

/** Texts of mails. Those of alerts contain no names and no content. */
export const MAIL_TEXTS = {
  subject_one: phrase(
    'Custodia: an alert of severity {severity}',
    'Custodia: um alerta de gravidade {severity}',
  ),
  subject_many: phrase(
    'Custodia: {count} alerts, the highest severity is {severity}',
    'Custodia: {count} alertas, a gravidade mais alta é {severity}',
  ),
  subject_test: phrase('Custodia: a test', 'Custodia: um teste'),
  subject_code: phrase('Custodia: confirm this address', 'Custodia: confirme este endereço'),
  test: phrase(
    'This is the test that you requested. Alerts will be sent to this address.',
    'Este é o teste solicitado. Os alertas serão enviados a este endereço.',
  ),
  alerts: phrase('{count} alerts', '{count} alertas'),
  more: phrase('And {count} more: {link}', 'E mais {count}: {link}'),
  why: phrase(
    'You receive this because you subscribed to email alerts. It contains no names, numbers or content; the portal shows them to permitted users.',
    'Você recebe esta mensagem porque assinou os alertas por e-mail. Ela não contém nomes, números nem conteúdo; o portal os mostra a usuários autorizados.',
  ),
  change: phrase('Change or end it: {link}', 'Alterar ou encerrar: {link}'),
  code: phrase(
    'Enter this code in the portal within an hour to confirm this address: {code}',
    'Informe este código no portal em até uma hora para confirmar este endereço: {code}',
  ),
  code_unasked: phrase(
    'If this was not you, ignore this email: no others will follow.',
    'Se não foi você, ignore este e-mail: nenhum outro será enviado.',
  ),
  subject_enrolment: phrase('Custodia: enrol your phone', 'Custodia: cadastre o seu telefone'),
  enrolment: phrase(
    '{client} records communications on your work phone. Open this link on the phone and follow the steps:\n\n{link}\n\nIt works for one phone until {until} (UTC). Do not forward it.',
    '{client} grava as comunicações do seu telefone de trabalho. Abra este link no telefone e siga os passos:\n\n{link}\n\nEle vale para um telefone até {until} (UTC). Não o encaminhe.',
  ),
} as const satisfies Readonly<Record<string, Phrase>>

/** Severities and kinds of alerts in mails. A test of the portal checks that both use the same terms. */
export const MAILED_SEVERITIES: Readonly<Record<AlertSeverity, Phrase>> = {
  Low: phrase('Low', 'Baixa'),
  Medium: phrase('Medium', 'Média'),
  High: phrase('High', 'Alta'),
}
export const MAILED_TYPES: Readonly<Record<AlertType, Phrase>> = {
  AccountAlert: phrase('Account', 'Conta'),
  AndroidAlert: phrase('Android', 'Android'),
  DeviceAlert: phrase('Device', 'Dispositivo'),
  DeviceUserAlert: phrase('Device user', 'Usuário de dispositivo'),
  LambdaAlert: phrase('Server', 'Servidor'),
  MigrationAlert: phrase('Migration', 'Migração'),
  Notification: phrase('Notice', 'Aviso'),
  PayloadAlert: phrase('Recording', 'Gravação'),
  PortalUserAlert: phrase('Portal user', 'Usuário do portal'),
  TransferAlert: phrase('Transfer', 'Transferência'),
}

/** Delivery of alert mails per severity. */
export const MAIL_FREQUENCIES = ['never', 'daily', 'at_once'] as const
export type MailFrequency = (typeof MAIL_FREQUENCIES)[number]
/** The address that the identity provider verified at the last sign-in, or one that the person confirmed. */
export const ADDRESS_SOURCES = ['claimed', 'confirmed'] as const
/** Days after the last sign-in in which alerts are mailed. */
export const MAILED_DAYS = 30
/** Lifetime of a confirmation code in seconds, and the maximum of wrong codes. */
export const CODE_SECONDS = 3600
export const CODE_TRIES = 5
/** Maximum number of addresses per person and day that receive codes. */
export const CODES_A_DAY = 5

/**
 * A mail address without characters that a mail server could read as a second address, a route or a comment, and
 * without invisible ones.
 */
export const MailAddress = text(3, 255, [
  /^[^\p{C}\p{Z}<>()[\]\\,;:"@]+@[^\p{C}\p{Z}<>()[\]\\,;:"@]+$/u,
  'email',
])

const MailFrequency = z.enum(MAIL_FREQUENCIES)
const settings = {
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

/** Alert mail settings of the caller. */
export const AlertSubscription = z.strictObject({
  version: z.string(),
  /** Whether this installation sends mails. */
  can_send: z.boolean(),
  claimed_address: z.nullable(z.string()),
  confirmed_address: z.nullable(z.string()),
  /** When mails end unless the caller signs in again; null: they have ended. */
  mailed_until: z.nullable(EpochSeconds),
  /** The last address without confirmation. */
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
  /** Number of pending mails, and of mails that finally failed. */
  waiting: Count,
  dead: Count,
  /** Time and error of the last attempt; null: none. */
  last_attempt_at: z.nullable(EpochSeconds),
  last_error: z.nullable(z.string()),
})
export type AlertSubscription = z.output<typeof AlertSubscription>

const row = {
  ...ADMIN_ACCOUNT,
  path: 'profile/alert_subscription',
  response: AlertSubscription,
} as const

export const alertSubscriptionEndpoints = endpoints({
  readAlertSubscription: {
    ...row,
    method: 'GET',
    action: 'profile.alert_subscription:read',
    summary: 'Show the alert mail settings of the caller',
  },
  saveAlertSubscription: {
    ...row,
    method: 'PUT',
    action: 'profile.alert_subscription:update',
    summary: 'Subscribe the caller to alert mails',
    description: `A mail holds no number, name or content. None is sent ${MAILED_DAYS} days after the last sign-in.`,
    body: AlertSubscriptionInput,
    problems: ['wrong_state', 'already_exists', 'changed_meanwhile'],
  },
  deleteAlertSubscription: {
    ...row,
    method: 'DELETE',
    action: 'profile.alert_subscription:delete',
    summary: 'Unsubscribe the caller from alert mails and delete the address',
    problems: ['not_found'],
  },
  testAlertSubscription: {
    ...post(row, 'profile/alert_subscription/test'),
    action: 'profile.alert_subscription:test',
    summary: 'Send a test mail to the caller',
    problems: ['not_found', 'wrong_state'],
  },
  checkAlertAddress: {
    ...post(row, 'profile/alert_subscription/address'),
    action: 'profile.alert_subscription:check',
    summary: 'Send a confirmation code to a mail address',
    body: z.strictObject({ address: MailAddress, language: z.enum(LOCALES) }),
    problems: ['wrong_state'],
    secrets: ['address'],
  },
  confirmAlertAddress: {
    ...put(row, 'profile/alert_subscription/address'),
    action: 'profile.alert_subscription:confirm',
    summary: 'Confirm a mail address with its code',
    body: z.strictObject({ code: text(1, 20) }),
    problems: ['wrong_state'],
    secrets: ['code'],
  },
})
