import { ApiProblem } from '@custodia/client'
import { BATCH_LIMIT, LogEntry } from '@custodia/contract'
import type { Session } from './session.ts'
import type { LogStore } from './store.ts'

/** Cuts a list into runs of at most `items` items and `weight` in all; one heavier item goes alone. */
export function batches<T>(
  list: readonly T[],
  items: number,
  weight: number,
  weigh: (item: T) => number,
): T[][] {
  const cut: T[][] = []
  let room = 0
  for (const item of list) {
    const last = cut.at(-1)
    if (last && last.length < items && weigh(item) <= room) last.push(item)
    else {
      cut.push([item])
      room = weight
    }
    room -= weigh(item)
  }
  return cut
}

/** Works on all items, `atOnce` at a time. Waits for all; then throws the first failure, if any. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const failures: unknown[] = []
  async function worker() {
    for (const item of waiting) {
      try {
        await work(item)
      } catch (error) {
        failures.push(error)
        // The network is down: the rest waits for the next time.
        return
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
}

/** What became of the logs that were kept. */
export interface LogReport {
  /** The server has them, now or from before. */
  handed: number
  /** The server could not read them: set aside on the phone, for a person to look at. */
  refused: number
}

interface LogQueue {
  /** Keeps logs; durable when resolved. Throws where the protocol has no such log: nothing is kept then. */
  keep(logs: readonly LogEntry[]): Promise<void>
  /** Uploads the queued entries, the oldest first; after a failure the rest stays queued. */
  handOver(): Promise<LogReport>
}

/** The logs of a phone until the server has them. Those of one `keep` lie together: a slip. */
export function openLogQueue(session: Session, store: LogStore): LogQueue {
  let running: Promise<LogReport> | undefined
  // One after the other, so that they lie in the order in which they were kept.
  let keeping: Promise<void> = Promise.resolve()

  const send = async (logs: LogEntry[]) =>
    void (await session.call((client) => client.uploadLogs({ body: { logs } })))

  async function run(): Promise<LogReport> {
    const report: LogReport = { handed: 0, refused: 0 }
    for (let slips = await store.logSlips(); slips.length > 0; slips = await store.logSlips()) {
      while (slips.length > 0) {
        const { taken, logs } = await nextCall(store, slips)
        slips = slips.slice(taken.length)
        try {
          await send(logs)
          report.handed += logs.length
          // Removed only now: killed in between, the phone sends them again, and the server knows them.
          for (const slip of taken) await store.removeLogs(slip)
        } catch (error) {
          if (!(error instanceof ApiProblem) || error.status !== 400) throw error
          // One that the server cannot read must not hold up the others.
          for (const slip of taken) await exclusively(slip, report)
        }
      }
    }
    return report
  }

  async function exclusively(slip: string, report: LogReport): Promise<void> {
    const logs = await store.readLogs(slip)
    try {
      await send(logs)
      report.handed += logs.length
      await store.removeLogs(slip)
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 400) throw error
      report.refused += logs.length
      await store.quarantineLogs(slip)
    }
  }

  return {
    async keep(logs) {
      const slips = batches(
        logs.map((log) => LogEntry.parse(log)),
        BATCH_LIMIT,
        Infinity,
        () => 0,
      )
      const work = keeping.then(async () => {
        for (const slip of slips) await store.addLogs(slip)
      })
      keeping = work.catch(() => undefined)
      await work
    },
    handOver() {
      running ??= run().finally(() => {
        running = undefined
      })
      return running
    },
  }
}

/** Slips whose logs fit into one call. A slip that repeats an id waits for the next. */
async function nextCall(store: LogStore, slips: readonly string[]) {
  const taken: string[] = []
  const logs = new Map<string, LogEntry>()
  for (const slip of slips) {
    const more = await store.readLogs(slip)
    const fits = logs.size + more.length <= BATCH_LIMIT && !more.some(({ log_id }) => logs.has(log_id))
    if (taken.length > 0 && !fits) break
    taken.push(slip)
    for (const log of more) logs.set(log.log_id, log)
  }
  return { taken, logs: [...logs.values()] }
}
