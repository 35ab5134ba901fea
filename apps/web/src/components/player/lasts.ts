import type { Payload } from '@custodia/contract'

/** Seconds by which the sound may differ from what the phone says of it: a phone counts from the answer, in whole seconds. */
const ROUNDING = 1.5

/**
 * How long a recording lasts, in seconds: as the phone says, which is what lists and headers show, unless the sound itself is of another
 * length.
 *
 * @param sound length of what is played, as far as it is known; 0: it is not
 */
export function lastsOf(
  { duration }: Pick<Payload, 'duration'>,
  sound: number,
): { seconds: number; isOther: boolean } {
  if (duration === undefined || sound <= 0) return { seconds: duration ?? sound, isOther: false }
  const isOther = Math.abs(duration - sound) > ROUNDING
  return { seconds: isOther ? sound : duration, isOther }
}
