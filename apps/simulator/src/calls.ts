import type { Recording } from '@custodia/device-sdk'
import type { CarriedPhone } from './carried-phone.ts'
import type { Chance } from './chance.ts'
import type { Contact } from './contacts.ts'
import type { MediaFile } from './media.ts'

interface Moment {
  payload_reference: string
  payload_time: number
  dice: Chance
}

const DIRECTIONS = ['I', 'O'] as const

/** A recorded call with two or more parties. `isIntermittent`: the recording has gaps. */
export function callRecording(
  phone: CarriedPhone,
  { payload_reference, payload_time, dice }: Moment,
  media: MediaFile,
  contacts: readonly Contact[],
  isIntermittent = false,
): Recording {
  const direction = dice.pick(DIRECTIONS)
  const heard = media.seconds
  const full = isIntermittent ? Math.round(heard * 1.4) + 5 : heard
  const ringing = dice.between(2, 9)
  const second_parties = contacts.map((contact, i) => {
    // Parties of a conference join one after another.
    const joined = i === 0 ? 0 : Math.min(full - 1, i * dice.between(3, 8))
    return {
      ...contact,
      direction: i === 0 ? direction : ('O' as const),
      start_time: payload_time + joined - (i === 0 ? ringing : 0),
      duration: full - joined,
      connection_time: payload_time + joined,
    }
  })
  return {
    payload_type: 'Call',
    meta: {
      ...phone.common(payload_reference, payload_time),
      payload_end_time: payload_time + full,
      voice_source: dice.pick(['MIC', 'MIC', 'BT', 'HEADSET'] as const),
      signal_strength: -dice.between(58, 108),
      size: media.bytes,
      second_parties,
      ...(isIntermittent ? { is_intermittent: true, payload_full_duration: full } : {}),
    },
    data: media.open,
  }
}

/** A call that was not answered, or ended before it could be recorded. */
export function abortedCall(
  phone: CarriedPhone,
  { payload_reference, payload_time, dice }: Moment,
  contact: Contact,
): Recording {
  const rang = dice.between(4, 35)
  return {
    payload_type: 'AbortedCall',
    meta: {
      ...phone.common(payload_reference, payload_time),
      payload_end_time: payload_time + rang,
      voice_source: null,
      size: 0,
      second_parties: [
        {
          ...contact,
          direction: dice.pick(DIRECTIONS),
          start_time: payload_time,
          duration: 0,
          connection_time: null,
        },
      ],
    },
  }
}

const REASONS = {
  'en-GB': [
    'The recorder was not ready',
    'The number is not permitted by policy',
    'Roaming without recording service',
  ],
  'pt-BR': ['O gravador não estava pronto', 'Número não permitido pela política'],
} as const

/** A call that the device blocked. */
export function blockedCall(
  phone: CarriedPhone,
  { payload_reference, payload_time, dice }: Moment,
  contact: Contact,
): Recording {
  return {
    payload_type: 'BlockedCall',
    meta: {
      ...phone.common(payload_reference, payload_time),
      payload_end_time: payload_time,
      size: 0,
      second_parties: [
        { ...contact, direction: 'O', start_time: payload_time, duration: 0, connection_time: null },
      ],
      reason_for_blocking: dice.pick<string>(REASONS[phone.person.locale]),
    },
  }
}
