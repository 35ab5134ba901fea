import { createHash } from 'node:crypto'
import {
  ALERT_SEVERITIES,
  fill,
  type Locale,
  MAIL_TEXTS,
  MAILED_SEVERITIES,
  MAILED_TYPES,
} from '@custodia/contract'
import type { Mail } from '../ports/mail/port.ts'
import type { ClaimedDelivery } from '../alerts/delivery-store.ts'
import { pageOfAlert } from '../alerts/page-of-alert.ts'

/** Maximum alerts in a mail; it states the number of further ones. */
const LISTED = 50

/** The link target, language and recipient of a mail. */
export interface Envelope {
  /** Origin of the administration's portal. */
  portal: string
  language: Locale
  to: string
}

/**
 * One mail of several alerts, the most severe first, and of a test. Equal contents of two attempts have the same id.
 */
export function mailOfAlerts(envelope: Envelope, deliveries: readonly ClaimedDelivery[]): Mail {
  const { portal, language } = envelope
  const alerts = withoutRepeats(deliveries)
  const hasTest = deliveries.some(({ alert_reference }) => alert_reference === null)
  const severity = alerts[0] ? MAILED_SEVERITIES[alerts[0].alert_severity][language] : ''
  const subject =
    alerts.length === 0
      ? MAIL_TEXTS.subject_test
      : alerts.length === 1
        ? MAIL_TEXTS.subject_one
        : MAIL_TEXTS.subject_many
  const lines = alerts
    .slice(0, LISTED)
    .map(
      ({ alert_reference, alert_severity, alert_type }) =>
        `${MAILED_SEVERITIES[alert_severity][language]} · ${MAILED_TYPES[alert_type][language]}\n${pageOfAlert(portal, alert_reference)}`,
    )
  const more = alerts.length - lines.length
  const text = [
    ...(hasTest ? [MAIL_TEXTS.test[language]] : []),
    ...lines,
    ...(more > 0 ? [fill(MAIL_TEXTS.more[language], { count: more, link: pageOfAlert(portal, null) })] : []),
    MAIL_TEXTS.why[language],
    changing(envelope),
  ]
  return {
    message_id: idOf(
      portal,
      deliveries.map(({ delivery_reference }) => delivery_reference),
    ),
    to: envelope.to,
    subject: fill(subject[language], { severity, count: alerts.length }),
    text: `${text.join('\n\n')}\n`,
  }
}

/** The mail with which an address is confirmed. */
export function mailOfCode(envelope: Envelope, check_id: string, code: string): Mail {
  const { language, portal, to } = envelope
  const { code: result, code_unasked, subject_code } = MAIL_TEXTS
  return {
    message_id: idOf(portal, [check_id, code]),
    to,
    subject: subject_code[language],
    text: `${[fill(result[language], { code }), code_unasked[language]].join('\n\n')}\n`,
  }
}

/** Of an alert that was triggered twice one line; the most severe first, else in the order in which they came. */
function withoutRepeats(deliveries: readonly ClaimedDelivery[]): ClaimedDelivery[] {
  const rank = ({ alert_severity }: ClaimedDelivery) => ALERT_SEVERITIES.indexOf(alert_severity)
  const result = new Map<string, ClaimedDelivery>()
  for (const each of deliveries.toSorted((a, b) => rank(b) - rank(a) || a.delivery_id - b.delivery_id))
    if (each.alert_reference !== null && !result.has(each.alert_reference))
      result.set(each.alert_reference, each)
  return [...result.values()]
}

const changing = ({ portal, language }: Envelope): string =>
  fill(MAIL_TEXTS.change[language], { link: `${portal}/dashboard/account/alert-mails` })

const idOf = (portal: string, parts: readonly string[]): string =>
  `${createHash('sha256').update(parts.toSorted().join(' ')).digest('hex').slice(0, 40)}@${new URL(portal).hostname}`
