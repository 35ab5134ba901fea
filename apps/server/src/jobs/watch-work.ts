import type { WorkLimits } from '../ports/jobs.ts'
/** Milliseconds between two looks at how work gets on. */
const LOOK_MS = 1000
/** Bytes that an item counts as at least: small ones cost answers, not bytes. */
export const ITEM_BYTES = 256 << 10

/** Too little moves, or it took too long: to try again at once is of no use. */
export class WorkTooSlow extends Error {
  override name = 'WorkTooSlow'
}

/** What ends work before it is done. */
export interface Limits {
  limits: WorkLimits
  /** Of the process, or of the task. */
  signal: AbortSignal
  /** Throws once the work is to end; asked every second. */
  check: () => Promise<unknown>
}

/** What moves: counted while it is busy. */
export interface Meter {
  isBusy(): boolean
  /** All bytes that moved so far. */
  bytes(): number
}

/** Work under limits. */
export interface WatchedWork {
  /** Aborts when the work is to end; its reason is why. */
  readonly signal: AbortSignal
  /** Awaits another service, but not longer than the work may go on; then it throws why. What is awaited goes on by itself. */
  orCut<T>(awaited: Promise<T>): Promise<T>
  /** From here on this is counted. */
  count(meter: Meter): void
  /** Ends watching. */
  stop(): void
}

/**
 * Watches work on behalf of a client: it ends in the middle of an item when its signal does, when the check fails, when it takes longer than it
 * may, or when too little moves. The reason of the last two is WorkTooSlow.
 */
export function watchWork({ limits, signal, check }: Limits): WatchedWork {
  const { bytesPerSecond, overSeconds, runSeconds } = limits
  const ended = new AbortController()
  const until = performance.now() + runSeconds * 1000
  let counted: Meter | undefined
  let samples: { at: number; bytes: number }[] = []
  let checking = false

  const late = (detail: string) => ended.abort(new WorkTooSlow(detail))
  function look(): void {
    const now = performance.now()
    if (now > until) return late('the run took longer than a run may')
    if (!counted?.isBusy()) samples = []
    else {
      const bytes = counted.bytes()
      const since = now - overSeconds * 1000
      samples.push({ at: now, bytes })
      while ((samples[1]?.at ?? now) <= since) samples.shift()
      const [first] = samples
      if (first && first.at <= since && bytes - first.bytes < bytesPerSecond * overSeconds)
        return late(`less than ${bytesPerSecond >> 10} KiB per second over ${overSeconds} seconds`)
    }
    if (checking) return
    checking = true
    check()
      .catch((error: unknown) => ended.abort(error))
      .finally(() => (checking = false))
  }
  const timer = setInterval(look, LOOK_MS)
  const both = AbortSignal.any([signal, ended.signal])

  return {
    signal: both,
    orCut(awaited) {
      const { promise: cut, reject } = Promise.withResolvers<never>()
      const end = () => reject(both.reason)
      if (both.aborted) end()
      both.addEventListener('abort', end)
      return Promise.race([awaited, cut]).finally(() => both.removeEventListener('abort', end))
    },
    count(meter) {
      counted = meter
      samples = []
    },
    stop: () => clearInterval(timer),
  }
}
