/**
 * Wraps a call so that repetitions within `windowMs` of its start share its pending or settled result
 * (spec section 7: refresh and profile loads). `now` is a clock in milliseconds.
 */
export function shareCalls<T>(
  call: () => Promise<T>,
  windowMs: number,
  now: () => number = Date.now,
): () => Promise<T> {
  let shared: { startedAt: number; result: Promise<T>; settled: boolean } | undefined
  return () => {
    if (shared && (!shared.settled || now() - shared.startedAt < windowMs)) return shared.result
    const current = { startedAt: now(), result: call(), settled: false }
    shared = current
    const settle = () => {
      current.settled = true
    }
    current.result.then(settle, settle)
    return current.result
  }
}
