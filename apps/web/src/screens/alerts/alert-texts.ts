import { type Alert, alertPhrases } from '@custodia/contract'
import { shownLocale } from '../../i18n/i18n.ts'

type TextsOfAlert = Pick<Alert, 'alert_subject' | 'alert_message' | 'alert_text'>

/** Translated subject and message of an alert; the stored texts where no translation exists. */
export function alertTexts({ alert_subject, alert_message, alert_text }: TextsOfAlert): {
  subject: string
  message: string
} {
  return (
    (alert_text && alertPhrases(alert_text, shownLocale())) ?? {
      subject: alert_subject,
      message: alert_message,
    }
  )
}

/** Translated message of an occurrence. */
export const occurrenceText = ({ message, text }: Alert['occurrences'][number]): string =>
  (text && alertPhrases(text, shownLocale())?.message) ?? message

/** Key of an alert over all clients: a reference is unique within its client only. */
export const alertKey = (alert: { client: string; alert_reference: string }): string =>
  `${alert.client}/${alert.alert_reference}`

/** Parses a key; undefined when invalid. */
export function fromAlertKey(key: string): { client: string; alert_reference: string } | undefined {
  const [client, alert_reference, ...rest] = key.split('/')
  if (!client || !alert_reference || rest.length > 0) return undefined
  return { client, alert_reference }
}

/** Groups keys by client, for clear and dismiss. */
export function byClient(keys: readonly string[]): Map<string, string[]> {
  const references = new Map<string, string[]>()
  for (const key of keys) {
    const alert = fromAlertKey(key)
    if (alert === undefined) continue
    references.set(alert.client, [...(references.get(alert.client) ?? []), alert.alert_reference])
  }
  return references
}
