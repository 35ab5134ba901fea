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
