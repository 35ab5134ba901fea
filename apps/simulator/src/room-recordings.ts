import type { Recording } from '@custodia/device-sdk'
import type { CarriedPhone } from './carried-phone.ts'
import { exifJpeg } from './exif-jpeg.ts'
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

/** Difference in degrees of latitude between device and photo position: about seven kilometres. */
const ASTRAY = 0.063

/** A photo with another position than the device, like a forwarded photo. */
export function borrowedPhoto(phone: CarriedPhone, moment: Moment, media: MediaFile): Recording {
  const { meta } = pictureRecording(phone, 'Photo', moment, media)
  const place = meta.payload_location ?? meta.last_known_location
  const payload_location = place && { ...place, timestamp: moment.payload_time }
  const location = place ? { latitude: place.latitude + ASTRAY, longitude: place.longitude } : undefined
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

/** Diagnostics of the app. */
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

/** The EICAR test file for virus scanners, split so that no scanner flags this source. */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*']
