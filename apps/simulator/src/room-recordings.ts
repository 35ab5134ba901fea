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

/** A conversation in a room, with the pauses that the recorder noticed. */
export function interviewRecording(
  phone: CarriedPhone,
  { payload_reference, payload_time }: Moment,
  media: MediaFile,
): Recording {
  return {
    payload_type: 'Interview',
    meta: {
      ...phone.common(payload_reference, payload_time),
      payload_end_time: payload_time + media.seconds,
      payload_duration: media.seconds,
      payload_notes: media.title,
      interview_pause_times: media.pauses.map(([start, end]) => ({
        start_time: payload_time + Math.floor(start),
        duration: Math.max(1, Math.round(end - start)),
      })),
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
