export type PartState = 'ok' | 'unavailable' | 'not configured'

export interface ProbeTimes {
  /** Milliseconds after which the answer is "unavailable", even if the check still runs. */
  limit: number
  /** Milliseconds for which an answer is good. */
  keep: number
}

/**
 * A shared check that runs once at a time, so that requests cannot load the checked part. It never rejects and always
 * answers within its limit; while a check hangs, no second one begins and every caller gets the answer at once.
 */
export function sharedProbe(
  check: () => Promise<void>,
  { limit, keep }: ProbeTimes,
): () => Promise<PartState> {
  let last: { state: PartState; at: number } | undefined
  let running: Promise<PartState> | undefined

  async function run(): Promise<PartState> {
    const late = setTimeout(() => {
      last = { state: 'unavailable', at: Infinity }
    }, limit)
    // Also a check that throws before it returns a promise.
    const state = await Promise.resolve()
      .then(check)
      .then(
        (): PartState => 'ok',
        (): PartState => 'unavailable',
      )
    clearTimeout(late)
    last = { state, at: performance.now() }
    running = undefined
    return state
  }

  return async () => {
    if (last && performance.now() - last.at < keep) return last.state
    running ??= run()
    const { promise: late, resolve } = Promise.withResolvers<PartState>()
    const timer = setTimeout(() => resolve('unavailable'), limit)
    return Promise.race([running, late]).finally(() => clearTimeout(timer))
  }
}
