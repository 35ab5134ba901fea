import type { Payload } from '@custodia/contract'

/** Tolerance in seconds between audio and reported duration: a device counts whole seconds from the answer. */
const ROUNDING = 1.5

/**
 * Duration of a recording in seconds: the reported one, as in lists, unless the audio clearly differs.
 * @param sound duration of the audio; 0: unknown
 */
export function lastsOf(
  { duration }: Pick<Payload, 'duration'>,
  sound: number,
): { seconds: number; isOther: boolean } {
  if (duration === undefined || sound <= 0) return { seconds: duration ?? sound, isOther: false }
  const isOther = Math.abs(duration - sound) > ROUNDING
  return { seconds: isOther ? sound : duration, isOther }
}
