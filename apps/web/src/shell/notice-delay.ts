/** Seconds before the end of a session at which the notice appears. */
const WARNING_SECONDS = 5 * 60
/** Browsers fire longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Milliseconds until the notice of the session's end; undefined after the end, or beyond the timer limit.
 * @param expiresAt epoch seconds
 * @param now epoch milliseconds
 */
export function noticeDelay(expiresAt: number, now: number): number | undefined {
  if (expiresAt * 1000 <= now) return undefined
  const delay = Math.max(0, (expiresAt - WARNING_SECONDS) * 1000 - now)
  return delay > LONGEST_TIMER_MS ? undefined : delay
}
