export type PartState = 'ok' | 'unavailable' | 'not configured'

export interface ProbeTimes {
  /** Milliseconds after which whoever asks is told that the part is unavailable, whatever becomes of the check. */
  limit: number
  /** Milliseconds for which an answer is good. */
  keep: number
}

/**
 * A check that many may ask for and that runs once at a time: nobody can make a part busier by asking after it. It never rejects and
 * always answers within its limit; while a check hangs no second one is begun, and everybody is told at once.
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
