import { ITEM_BYTES, type WatchedWork, WorkTooSlow } from '../jobs/watch-work.ts'
import { TargetProblem, type TargetSession } from '../ports/targets/port.ts'

/** The target is too slow: an immediate retry is useless. */
export class TargetTooSlow extends TargetProblem {}

/** Counts the traffic of a session and ends it with the work. */
export function watchSession(work: WatchedWork, session: TargetSession): TargetSession {
  let busy = 0
  let credit = 0
  const cut = () => void session.close()
  work.count({ isBusy: () => busy > 0, bytes: () => session.moved() + credit })
  if (work.signal.aborted) cut()
  else work.signal.addEventListener('abort', cut)
  return {
    ...session,
    async deliver(item) {
      busy++
      try {
        const done = await session.deliver(item)
        credit += Math.max(0, ITEM_BYTES - done.bytes)
        return done
      } finally {
        busy--
      }
    },
    async close() {
      work.signal.removeEventListener('abort', cut)
      await session.close()
    },
  }
}

/** Why work with a target ended: an aborted session reports a lost connection; the work knows the reason. */
export function reasonEnded({ signal }: WatchedWork, error: unknown): unknown {
  if (!signal.aborted) return error
  const { reason } = signal as { reason: unknown }
  return reason instanceof WorkTooSlow ? new TargetTooSlow('timeout', reason.message) : reason
}
