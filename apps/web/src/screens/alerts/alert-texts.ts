import { type Alert, alertPhrases } from '@custodia/contract'
import { shownLocale } from '../../i18n/i18n.ts'

type TextsOfAlert = Pick<Alert, 'alert_subject' | 'alert_message' | 'alert_text'>

/** Subject and message of an alert in the reader's language; as they are stored where no text of ours is known. */
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

/** What an occurrence said, in the reader's language. */
export const occurrenceText = ({ message, text }: Alert['occurrences'][number]): string =>
  (text && alertPhrases(text, shownLocale())?.message) ?? message
