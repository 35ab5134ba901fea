import { createHash } from 'node:crypto'
import type { MessageDocument } from '@custodia/contract'
import type { Recording } from '@custodia/device-sdk'
import type { CarriedPhone } from './carried-phone.ts'
import { exifJpeg } from './exif-jpeg.ts'
import type { Chance } from './itinerary.ts'
import type { DemoPerson, MediaFile } from './media.ts'

/** A contact of the demo's people. Numbers are from ranges reserved for fiction, or unassigned. */
export interface Contact {
  phone_number: string
  contact_name: string | null
}

const british = (last: number, contact_name: string | null): Contact => ({
  phone_number: `+447700900${last}`,
  contact_name,
})
const brazilian = (last: number, contact_name: string | null): Contact => ({
  phone_number: `+55119555507${last}`,
  contact_name,
})

export const CONTACTS: Readonly<Record<DemoPerson['locale'], readonly Contact[]>> = {
  'en-GB': [
    british(501, 'Elena Rossi'),
    british(502, 'Charles Whitcombe'),
    british(503, 'Daniel Achebe'),
    british(504, 'Priya Nair'),
    british(505, 'Kurt Lang'),
    british(506, 'Samira Haddad'),
    { phone_number: '+442079460507', contact_name: 'Helvia Asset Management' },
    { phone_number: '+442079460508', contact_name: null },
    british(509, 'Peter Jansen'),
    british(510, null),
  ],
  'pt-BR': [
    brazilian(11, 'Carla Nogueira'),
    brazilian(12, 'Rogério Pinto'),
    brazilian(13, 'Helena Vasconcelos'),
    brazilian(14, 'Paulo Teixeira'),
    brazilian(15, 'Fernanda Lopes'),
    brazilian(16, null),
    { phone_number: '+551155550717', contact_name: 'Corretora Ipê' },
  ],
}

/** One line of a conversation before it becomes a payload. */
interface Message {
  payload_type: 'SMS' | 'RCS' | 'MMS'
  payload_reference: string
  payload_time: number
  direction: 'I' | 'O'
  contact: Contact
  text: string
  attachments?: MessageDocument['attachments']
}

export function messageRecording(phone: CarriedPhone, message: Message): Recording {
  const { payload_type, payload_reference, payload_time, direction, contact, text, attachments } = message
  const document: MessageDocument = { text, ...(attachments ? { attachments } : {}) }
  return {
    payload_type,
    meta: {
      ...phone.common(payload_reference, payload_time),
      thread_id: getThread(phone.person.phone_number, contact.phone_number),
      direction,
      length: Array.from(text).length,
      message_id: systemName(payload_reference),
      message_parties: [{ ...contact, direction }],
    },
    data: () => whole(Buffer.from(JSON.stringify(document))),
  }
}

/** A message as its device uploads it again: a new reference, the same system id. */
export const uploadedAgain = ({ meta, ...recording }: Recording, payload_reference: string): Recording => ({
  ...recording,
  meta: { ...meta, payload_reference } as Recording['meta'],
})

/** The id of a message in the device's system, constant over uploads. */
const systemName = (first: string) => createHash('sha256').update(first).digest('hex').slice(0, 32)

/** The same thread in both directions. */
function getThread(own: string, other: string): string {
  return createHash('sha256').update(`${own} ${other}`).digest('hex').slice(0, 16)
}

/** Bytes as a stream with one chunk. */
export async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

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

interface RoomRecordingsMoment {
  payload_reference: string
  payload_time: number
}

/** A photo or a video. */
export function pictureRecording(
  phone: CarriedPhone,
  payload_type: 'Photo' | 'Video',
  { payload_reference, payload_time }: RoomRecordingsMoment,
  media: MediaFile,
): Recording {
  return {
    payload_type,
    meta: {
      ...phone.common(payload_reference, payload_time),
      ...(payload_type === 'Video' ? { payload_duration: media.seconds } : {}),
      payload_notes: media.title,
    },
    data: media.open,
  }
}

/** Difference in degrees of latitude between device and photo position: about seven kilometres. */
const MISPLACED = 0.063

/** A photo with another position than the device, like a forwarded photo. */
export function borrowedPhoto(
  phone: CarriedPhone,
  moment: RoomRecordingsMoment,
  media: MediaFile,
): Recording {
  const { meta } = pictureRecording(phone, 'Photo', moment, media)
  const place = meta.payload_location ?? meta.last_known_location
  const payload_location = place && { ...place, timestamp: moment.payload_time }
  const location = place ? { latitude: place.latitude + MISPLACED, longitude: place.longitude } : undefined
  return {
    payload_type: 'Photo',
    meta: { ...meta, ...(payload_location && { payload_location }) },
    async *data() {
      const { data } = await media.attachment()
      yield exifJpeg({ orientation: 1, ...(location && { location }) }, 'MM', Buffer.from(data, 'base64'))
    },
  }
}

/** Pauses of demo interviews in seconds, in turn. */
const INTERRUPTIONS = [140, 415, 65]

/** An interview. Each silence of the recording is a pause, during which time went on. */
export function interviewRecording(
  phone: CarriedPhone,
  { payload_reference, payload_time }: RoomRecordingsMoment,
  media: MediaFile,
): Recording {
  let paused = 0
  const interview_pause_times = media.pauses.map(([start], i) => {
    const duration = INTERRUPTIONS[i % INTERRUPTIONS.length] ?? 60
    const start_time = payload_time + Math.floor(start) + paused
    paused += duration
    return { start_time, duration }
  })
  return {
    payload_type: 'Interview',
    meta: {
      ...phone.common(payload_reference, payload_time),
      payload_end_time: payload_time + media.seconds + paused,
      payload_duration: media.seconds,
      payload_notes: media.title,
      interview_pause_times,
    },
    data: media.open,
  }
}

/** Diagnostics of the app. */
export function diagnosticsRecording(
  phone: CarriedPhone,
  { payload_reference, payload_time }: RoomRecordingsMoment,
  payload_notes: string,
  data: () => AsyncIterable<Uint8Array>,
): Recording {
  return {
    payload_type: 'Diagnostics',
    meta: { ...phone.common(payload_reference, payload_time), payload_notes },
    data,
  }
}

/** The EICAR test file for virus scanners, split so that no scanner flags this source. */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*']
