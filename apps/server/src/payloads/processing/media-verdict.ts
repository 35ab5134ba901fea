import type { PayloadMedia } from '@custodia/contract'
import type { Playability, Probe } from '../../ports/media/index.ts'
import type { ObjectDetails } from '../data-objects.ts'

/** The type of the data, and whether the portal can play it. */
export interface MediaVerdict {
  content_type: string
  details: ObjectDetails
}

export type Reason = NonNullable<PayloadMedia['unplayable_reason']>

/** Whether the original plays, or why not. */
export const verdict = ({ playable }: Playability, otherwise: Reason): ObjectDetails =>
  playable ? { is_playable: true } : { is_playable: false, unplayable_reason: otherwise }

/** The media facts that the portal shows. */
export function factsOf({ duration, audio, video }: Probe): ObjectDetails {
  const codec = [video?.codec, audio?.codec].filter(Boolean).join(' + ')
  return {
    ...(duration === undefined ? {} : { duration }),
    ...(video ? { width: video.width, height: video.height } : {}),
    ...(codec ? { codec } : {}),
    // A picture is no film.
    ...(video?.frames && video.frames > 1 && duration ? { frame_rate: video.frames / duration } : {}),
  }
}
