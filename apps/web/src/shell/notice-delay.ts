/** How long before the end of a session people are told, in seconds. */
const WARNING_SECONDS = 5 * 60
/** Longer timers of browsers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Milliseconds until people are told that the session ends; undefined when it has ended, or ends so late that no timer
 * reaches it.
 *
 * @param expiresAt epoch seconds
 * @param now epoch milliseconds
 */
export function noticeDelay(expiresAt: number, now: number): number | undefined {
  if (expiresAt * 1000 <= now) return undefined
  const delay = Math.max(0, (expiresAt - WARNING_SECONDS) * 1000 - now)
  return delay > LONGEST_TIMER_MS ? undefined : delay
}
