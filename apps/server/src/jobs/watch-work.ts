import type { WorkLimits } from '../ports/jobs.ts'
/** Milliseconds between two checks of the progress. */
const CHECK_MS = 1000
/** Least bytes per item: small items cost round trips, not bytes. */
export const ITEM_BYTES = 256 << 10

/** Too little data moved, or the work took too long: an immediate retry is useless. */
export class WorkTooSlow extends Error {
  override name = 'WorkTooSlow'
}

export interface Limits {
  limits: WorkLimits
  /** The signal of the process or the task. */
  signal: AbortSignal
  /** Throws when the work must end; called every second. */
  check: () => Promise<unknown>
}

/** A transfer whose progress counts while it is busy. */
export interface Meter {
  isBusy(): boolean
  /** All bytes transferred so far. */
  bytes(): number
}

/** Work under limits. */
export interface WatchedWork {
  /** Aborts when the work must end; its reason explains it. */
  readonly signal: AbortSignal
  /** Awaits another service until the work ends, and then throws the reason. The awaited call continues. */
  orCut<T>(awaited: Promise<T>): Promise<T>
  count(meter: Meter): void
  /** Ends watching. */
  stop(): void
}

/**
 * Runs work for a client under limits: it ends when its signal aborts, the check fails, it takes too long, or
 * too little moves. The reason of the last two is WorkTooSlow.
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
  const timer = setInterval(look, CHECK_MS)
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
