import { fill, type Locale, type LoggedRecording, phrase, RECORDING_PHRASES } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { othersText } from '../payloads/party-text.ts'
import { formatTime } from '../../ui/time-format.ts'

const WITH = phrase('{recording} with {others}, {day}', '{recording} com {others}, {day}')
const OF = phrase('{recording} of {others}, {day}', '{recording} de {others}, {day}')

/** Name of a recording in a sentence: other party and day, or its reference without the right to read it. */
export function recordingName({ payload_reference, seen }: LoggedRecording, i18n: I18n): string {
  if (seen === null) return payload_reference
  const locale: Locale = i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB'
  const hasParties = (seen.parties ?? []).length > 0
  return fill((hasParties ? WITH : OF)[locale], {
    recording: RECORDING_PHRASES[seen.payload_type][locale],
    others: othersText(seen, i18n),
    day: formatTime(seen.payload_time, i18n.locale, undefined, 'day'),
  })
}
