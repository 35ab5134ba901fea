import { fill, type Locale, type NamedRecording, phrase, RECORDING_PHRASES } from '@custodia/contract'
import { i18n as present, type I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { api } from '../../api/api.ts'
import { getPicker } from '../../components/pickers.ts'
import { formatTime } from '../../ui/time-format.ts'
import { othersText } from './party-text.ts'
import { screenService, SERVICES } from './services.ts'

const WITH = phrase('{recording} with {others}, {day}', '{recording} com {others}, {day}')
const OF = phrase('{recording} of {others}, {day}', '{recording} de {others}, {day}')

/** Name of a recording in a sentence: other party and day, or its reference without the right to read it. */
export function recordingName({ payload_reference, seen }: NamedRecording, i18n: I18n): string {
  if (seen === null) return payload_reference
  const locale: Locale = i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB'
  const hasParties = (seen.parties ?? []).length > 0
  return fill((hasParties ? WITH : OF)[locale], {
    recording: RECORDING_PHRASES[seen.payload_type][locale],
    others: othersText(seen, i18n),
    day: formatTime(seen.payload_time, i18n.locale, undefined, 'day'),
  })
}

/** Title of a recording in a list: its parties and time. */
export function recordingTitle(seen: NonNullable<NamedRecording['seen']>, i18n: I18n): string {
  const service = screenService(seen.payload_type)
  const name = service === undefined ? othersText(seen, i18n) : SERVICES[service].getName(seen, i18n)
  return `${name}, ${formatTime(seen.payload_time, i18n.locale)}`
}

/** The filter of a list by one recording, found by number, name or reference. */
export const RECORDING_FILTER = {
  kind: 'pick',
  name: 'payload_reference',
  label: msg`Recording`,
  isSingle: true,
  isFirst: true,
  picker: getPicker({
    call: 'listPayloads',
    action: 'payloads:list',
    find: async (query, options) => {
      const { data } = await api.listPayloads({ query }, options)
      return data.map((seen) => ({
        value: seen.payload_reference,
        label: recordingName({ payload_reference: seen.payload_reference, seen }, present),
        title: seen.payload_reference,
        detail: formatTime(seen.payload_time, present.locale, undefined, 'clock'),
      }))
    },
  }),
} as const
