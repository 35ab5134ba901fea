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
