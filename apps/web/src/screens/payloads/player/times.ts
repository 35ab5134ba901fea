import type { Payload } from '@custodia/contract'

/** Default frame rate. */
const USUAL = 30

/**
 * Seek time of the frame `by` frames away from `seconds`: its middle, because players round at frame edges.
 * @param rate frames per second
 */
export function stepped(seconds: number, by: number, rate = USUAL): number {
  // Treats a time just before a frame's start as that frame.
  const picture = Math.floor(seconds * rate + 0.001)
  return Math.max(0, (picture + by + 0.5) / rate)
}

/** Tolerance in seconds between audio and reported duration: a device counts whole seconds from the answer. */
const ROUNDING = 1.5

/**
 * Duration of a recording in seconds: the reported one, as in lists, unless the audio clearly differs.
 * @param sound duration of the audio; 0: unknown
 */
export function getDuration(
  { duration }: Pick<Payload, 'duration'>,
  sound: number,
): { seconds: number; isOther: boolean } {
  if (duration === undefined || sound <= 0) return { seconds: duration ?? sound, isOther: false }
  const isOther = Math.abs(duration - sound) > ROUNDING
  return { seconds: isOther ? sound : duration, isOther }
}
