import { createHash, randomInt } from 'node:crypto'
import {
  ALERT_SEVERITIES,
  type AlertSeverity,
  CODE_SECONDS,
  fill,
  type Locale,
  MAIL_TEXTS,
  MAILED_SEVERITIES,
  MAILED_TYPES,
} from '@custodia/contract'
import { LEASE, PAUSES } from '../alerts/attempts.ts'
import type { ClaimedDelivery } from '../alerts/delivery-store.ts'
import { pageOfAlert, pageOfIncident } from '../alerts/page-of-alert.ts'
import type { AppContext } from '../app-context.ts'
import { type Mail, type Mailer, sendOrProblem } from '../ports/mail/port.ts'
import { claimChecks, type ClaimedCheck, settleCheck } from './check-store.ts'

/** Maximum alerts in a mail; it states the number of further ones. */
const LISTED = 50

/** The link target, language and recipient of a mail. */
interface Envelope {
  /** Origin of the administration's portal. */
  portal: string
  language: Locale
  to: string
}

/** A delivery with the kind of its incident; null: a test. */
export interface MailedDelivery extends ClaimedDelivery {
  incident_kind: string | null
}

/**
 * One mail of several incidents, the most severe first, and of a test. Equal contents of two attempts have the same id.
 */
export function mailOfAlerts(envelope: Envelope, deliveries: readonly MailedDelivery[]): Mail {
  const { portal, language } = envelope
  const alerts = withoutRepeats(deliveries)
  const incidents = [
    ...Map.groupBy(alerts, ({ alert_scope, incident_kind }) => `${alert_scope} ${incident_kind}`).values(),
  ]
  const hasTest = deliveries.some(({ alert_reference }) => alert_reference === null)
  const severity = alerts[0] ? MAILED_SEVERITIES[alerts[0].alert_severity][language] : ''
  const subject =
    alerts.length === 0
      ? MAIL_TEXTS.subject_test
      : alerts.length === 1
        ? MAIL_TEXTS.subject_one
        : MAIL_TEXTS.subject_many
  const lines = incidents
    .slice(0, LISTED)
    .flatMap((each) => (each[0] ? getLine(envelope, each[0], each.length) : []))
  const more = incidents.length - lines.length
  const text = [
    ...(hasTest ? [MAIL_TEXTS.test[language]] : []),
    ...lines,
    ...(more > 0 ? [fill(MAIL_TEXTS.more[language], { count: more, link: pageOfAlert(portal, null) })] : []),
    MAIL_TEXTS.why[language],
    changing(envelope),
  ]
  return {
    message_id: getId(
      portal,
      deliveries.map(({ delivery_reference }) => delivery_reference),
    ),
    to: envelope.to,
    subject: fill(subject[language], { severity, count: alerts.length }),
    text: `${text.join('\n\n')}\n`,
  }
}

/** An incident in a mail: severity, type and number of alerts, and the link to the alert or to their list. */
function getLine({ portal, language }: Envelope, alert: MailedDelivery, count: number): string {
  const { alert_reference, alert_scope, alert_severity, alert_type, incident_kind } = alert
  const words = [MAILED_SEVERITIES[alert_severity][language], MAILED_TYPES[alert_type][language]]
  if (count === 1 || incident_kind === null)
    return `${words.join(' · ')}\n${pageOfAlert(portal, alert_reference)}`
  words.push(fill(MAIL_TEXTS.alerts[language], { count }))
  return `${words.join(' · ')}\n${pageOfIncident(portal, alert_scope, incident_kind)}`
}

/** The mail with which an address is confirmed. */
function mailOfCode(envelope: Envelope, check_id: string, code: string): Mail {
  const { language, portal, to } = envelope
  const { code: result, code_unasked, subject_code } = MAIL_TEXTS
  return {
    message_id: getId(portal, [check_id, code]),
    to,
    subject: subject_code[language],
    text: `${[fill(result[language], { code }), code_unasked[language]].join('\n\n')}\n`,
  }
}

/** Place of a severity, the lowest first. */
export const getRank = (severity: AlertSeverity): number => ALERT_SEVERITIES.indexOf(severity)

/** Of an alert that was triggered twice one line; the most severe first, else in the order in which they came. */
function withoutRepeats(deliveries: readonly MailedDelivery[]): MailedDelivery[] {
  const result = new Map<string, MailedDelivery>()
  const rank = ({ alert_severity }: MailedDelivery) => getRank(alert_severity)
  for (const each of deliveries.toSorted((a, b) => rank(b) - rank(a) || a.delivery_id - b.delivery_id))
    if (each.alert_reference !== null && !result.has(each.alert_reference))
      result.set(each.alert_reference, each)
  return [...result.values()]
}

const changing = ({ portal, language }: Envelope): string =>
  fill(MAIL_TEXTS.change[language], { link: `${portal}/dashboard/account/alert-mails` })

const getId = (portal: string, parts: readonly string[]): string =>
  `${createHash('sha256').update(parts.toSorted().join(' ')).digest('hex').slice(0, 40)}@${new URL(portal).hostname}`

/** The stored hash of a code, bound to one check of one address. */
export const hashCode = (check_id: string, code: string): Buffer =>
  createHash('sha256').update(`${check_id} ${code}`).digest()

type Parts = Pick<AppContext, 'config' | 'db' | 'mail' | 'now'>

/** Mails codes to a client's waiting addresses. Each attempt has its own code, stored before the mail is sent. */
export async function mailCodes(ctx: Parts, client_id: number, signal: AbortSignal): Promise<void> {
  const { mail } = ctx
  if (!mail) return
  for (const each of await ctx.db.write(client_id, (tx) => claimChecks(tx, ctx.now(), LEASE))) {
    signal.throwIfAborted()
    await mailCode({ ...ctx, mail }, client_id, each)
  }
}

async function mailCode(
  ctx: Parts & { mail: Mailer },
  client_id: number,
  check: ClaimedCheck,
): Promise<void> {
  const { check_id, address, asked_at, attempts, language } = check
  const code = String(randomInt(100_000_000)).padStart(8, '0')
  await ctx.db.write(client_id, (tx) => settleCheck(tx, check_id, { code_hash: hashCode(check_id, code) }))
  const portal = ctx.config.adminPortalUrl
  const failure = await sendOrProblem(ctx.mail, mailOfCode({ portal, language, to: address }, check_id, code))
  const next_at = ctx.now() + (PAUSES[attempts - 1] ?? CODE_SECONDS)
  const isOver = failure !== undefined && (failure.isFinal || next_at >= asked_at + CODE_SECONDS)
  await ctx.db.write(client_id, (tx) =>
    settleCheck(tx, check_id, {
      check_state: failure === undefined ? 'sent' : isOver ? 'failed' : 'waiting',
      last_error: failure?.reason ?? null,
      next_at,
    }),
  )
}
