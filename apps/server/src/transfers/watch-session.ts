import type { House } from '../house.ts'
import { TargetProblem, type TargetSession } from '../ports/targets/port.ts'

/** Milliseconds between two looks at how a run gets on. */
const LOOK_MS = 1000
/** Bytes that a file counts as at least: small ones cost a server answers, not bytes. */
const FILE = 256 << 10

/** The target takes too little: trying again at once is of no use. */
export class TargetTooSlow extends TargetProblem {}

/** What ends the work with a target before it is done. */
export interface Limits extends Pick<House['config'], 'transfers'> {
  /** Of the process, or of the task. */
  signal: AbortSignal
  /** Throws once nothing is to be sent any more; asked every second. */
  check: () => Promise<unknown>
}

/** Work with a target under limits. */
export interface WatchedWork {
  /** Aborts when the work is to end; its reason is why. */
  readonly signal: AbortSignal
  /** Has a session counted, and ended with the work. */
  watch(session: TargetSession): TargetSession
  /** Ends watching. */
  stop(): void
}

/**
 * Watches work with a target of a customer: it ends in the middle of an item when its signal does, when the check fails, when it takes longer
 * than a run may, or when too little moves. The reason of the last two is a TargetProblem.
 */
export function watchWork({ transfers, signal, check }: Limits): WatchedWork {
  const { bytesPerSecond, overSeconds, runSeconds } = transfers
  const ended = new AbortController()
  const both = AbortSignal.any([signal, ended.signal])
  const until = performance.now() + runSeconds * 1000
  let watched: { session: TargetSession; isBusy(): boolean; bytes(): number } | undefined
  let samples: { at: number; bytes: number }[] = []
  let checking = false

  const late = (detail: string) => ended.abort(new TargetTooSlow('timeout', detail))
  function look(): void {
    const now = performance.now()
    if (now > until) return late('the run took longer than a run may')
    if (!watched?.isBusy()) samples = []
    else {
      const bytes = watched.bytes()
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
  const cut = () => void watched?.session.close()
  both.addEventListener('abort', cut)

  return {
    signal: both,
    watch(session) {
      let busy = 0
      let credit = 0
      watched = { session, isBusy: () => busy > 0, bytes: () => session.moved() + credit }
      samples = []
      if (both.aborted) cut()
      return {
        ...session,
        async deliver(item) {
          busy++
          try {
            const done = await session.deliver(item)
            credit += Math.max(0, FILE - done.bytes)
            return done
          } finally {
            busy--
          }
        },
      }
    },
    stop() {
      clearInterval(timer)
      both.removeEventListener('abort', cut)
    },
  }
}
