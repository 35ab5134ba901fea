import type { Recording } from '@custodia/device-sdk'
import type { CarriedPhone } from './carried-phone.ts'
import type { MediaFile } from './media.ts'

interface Moment {
  payload_reference: string
  payload_time: number
}

/** A photo or a video. */
export function pictureRecording(
  phone: CarriedPhone,
  payload_type: 'Photo' | 'Video',
  { payload_reference, payload_time }: Moment,
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

/** Seconds for which an interview of the demo was interrupted, in turn. */
const INTERRUPTIONS = [140, 415, 65]

/** A conversation in a room. Where the recording falls silent somebody had pressed pause: the world went on without it. */
export function interviewRecording(
  phone: CarriedPhone,
  { payload_reference, payload_time }: Moment,
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

/** What the app found out about itself. */
export function diagnosticsRecording(
  phone: CarriedPhone,
  { payload_reference, payload_time }: Moment,
  payload_notes: string,
  data: () => AsyncIterable<Uint8Array>,
): Recording {
  return {
    payload_type: 'Diagnostics',
    meta: { ...phone.common(payload_reference, payload_time), payload_notes },
    data,
  }
}

/** The harmless test file of eicar.org that scanners report; in two halves, so that no scanner takes this source for it. */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*']
