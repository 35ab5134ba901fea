import { setTimeout as pause } from 'node:timers/promises'
import { notifyProvider } from '../alerts/notify-provider.ts'
import type { AppContext } from '../app-context.ts'
import type { Database } from '../ports/database/pool.ts'
import type { FairShare, Lane } from '../ports/jobs.ts'
import { inSpan } from '../ports/tracing.ts'
import { MovedTo } from './fair.ts'
import type { JobKind } from './kind.ts'
import {
  delayTask,
  endTasks,
  findDueLanes,
  LEASE,
  moveTask,
  prolongTasks,
  returnTask,
  takeTasks,
  type Task,
} from './store.ts'

/** Milliseconds between two polls while there is no work. */
const POLL_MS = 200
/** Milliseconds to wait after the database was unavailable. */
const RETRY_MS = 2000
/** Seconds before the second attempt; doubles per attempt up to `LONGEST`. */
const FIRST_DELAY = 2
const LONGEST = 300

/** Milliseconds in which interrupted work ends and returns its task. */
const SHUTDOWN_MS = 4000

const DEADLY = new Error('its workers ended, every time')

/** A kind whose work the clients share. */
export type FairKind = JobKind<unknown> & { fair: FairShare<unknown> }

/** Signals that end work: `broken` when its process ends; `signal` for any reason. */
interface Signals {
  broken: AbortSignal
  signal: AbortSignal
}

/** Works on the lanes of fair kinds until it is stopped. */
export class FairWorkers {
  /** The context of the work: its statements may take long. */
  readonly #ctx: AppContext
  /** For the queue's own statements, whose short timeout detects a dead connection. */
  readonly #db: Database
  readonly #kinds: ReadonlyMap<string, FairKind>
  readonly #retries: (kind: FairKind) => number
  readonly #ending = new AbortController()
  /** Aborts when the time of the running tasks is over. */
  readonly #breaking = new AbortController()
  readonly #loops: Promise<void>[] = []
  /** Wakes a lane that waits for a task or a free worker. */
  readonly #bells = new Map<string, (() => void) | undefined>()

  constructor(
    { ctx, db }: { ctx: AppContext; db: Database },
    kinds: readonly FairKind[],
    retries: (kind: FairKind) => number,
  ) {
    this.#ctx = ctx
    this.#db = db
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]))
    this.#retries = retries
    const lanes = kinds.flatMap(({ fair }) => Object.entries(fair.lanes))
    for (const [name, lane] of lanes) {
      this.#bells.set(name, undefined)
      this.#loops.push(this.#work(name, lane))
    }
    this.#loops.push(this.#look([...this.#bells.keys()]))
  }

  /**
   * Takes no more work and waits for the running tasks; after `milliseconds` it interrupts them for other
   * workers.
   */
  async stop(milliseconds: number): Promise<void> {
    this.#ending.abort()
    for (const ring of this.#bells.values()) ring?.()
    const all = Promise.all(this.#loops).then(() => true)
    const within = (limit: number) => Promise.race([all, pause(limit, false, { ref: false })])
    if (await within(milliseconds)) return
    this.#breaking.abort(new Error('the process ends'))
    await within(SHUTDOWN_MS)
  }

  async #look(lanes: readonly string[]): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        for (const lane of await findDueLanes(this.#db, lanes, this.#ctx.now())) this.#bells.get(lane)?.()
        await this.#rest(POLL_MS)
      } catch (error) {
        await this.#trouble(error)
      }
    }
  }

  /** Takes as many tasks as the free workers of a lane can run. Resolves when all have ended. */
  async #work(name: string, lane: Lane): Promise<void> {
    const { workers, batch, per_client } = lane
    const { now } = this.#ctx
    const runs = new Set<Promise<void>>()
    const start = (tasks: readonly Task[]) => {
      const run: Promise<void> = this.#run(tasks, lane)
        .catch((error: unknown) => this.#trouble(error))
        .finally(() => {
          runs.delete(run)
          this.#bells.get(name)?.()
        })
      runs.add(run)
    }
    while (!this.#ending.signal.aborted) {
      try {
        const most = (workers - runs.size) * batch
        const tasks = most === 0 ? [] : await takeTasks(this.#db, name, { most, per_client }, now())
        for (let at = 0; at < tasks.length; at += batch) start(tasks.slice(at, at + batch))
        if (tasks.length === 0) await this.#sleep(name)
      } catch (error) {
        await this.#trouble(error)
      }
    }
    await Promise.all(runs)
  }

  /** Waits until a task may be due in the lane, or one of its workers is free. */
  async #sleep(lane: string): Promise<void> {
    if (this.#ending.signal.aborted) return
    await new Promise<void>((resolve) => void this.#bells.set(lane, resolve))
    this.#bells.set(lane, undefined)
  }

  async #rest(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#ending.signal }).catch(() => undefined)
  }

  async #trouble(error: unknown): Promise<void> {
    if (this.#ending.signal.aborted) return
    this.#ctx.log.warn({ err: error }, 'the queue of clients is not available')
    await this.#rest(RETRY_MS)
  }

  async #run(tasks: readonly Task[], { resumes = false }: Lane): Promise<void> {
    const lost = new AbortController()
    const broken = resumes ? this.#ending.signal : this.#breaking.signal
    const signals = { broken, signal: AbortSignal.any([lost.signal, broken]) }
    const beat = setInterval(() => void this.#prolong(tasks, lost), (LEASE * 1000) / 3)
    try {
      const byKind = Map.groupBy(tasks, ({ kind }) => kind)
      await Promise.all([...byKind].map(([name, some]) => this.#runKind(name, some, signals)))
    } finally {
      clearInterval(beat)
    }
  }

  async #prolong(tasks: readonly Task[], lost: AbortController): Promise<void> {
    const left = await prolongTasks(this.#db, tasks, this.#ctx.now()).catch(() => tasks.length)
    if (left === 0) lost.abort(new Error('another worker has taken the task over'))
  }

  async #runKind(name: string, tasks: readonly Task[], signals: Signals): Promise<void> {
    const kind = this.#kinds.get(name)
    // A kind of another version, which runs elsewhere: the task becomes due again.
    if (!kind) return
    // A task that crashed so many workers would crash more.
    const crashing = tasks.filter(({ attempts }) => attempts > this.#retries(kind) + 1)
    for (const task of crashing)
      await this.#fail(kind, task, { input: kind.input.parse(task.input), error: DEADLY }, signals)
    await this.#runAll(
      kind,
      tasks.filter((task) => !crashing.includes(task)),
      signals,
    )
  }

  async #runAll(kind: FairKind, tasks: readonly Task[], signals: Signals): Promise<void> {
    const { signal } = signals
    if (tasks.length === 0) return
    const ctx = this.#ctx
    const inputs = tasks.map(({ input }) => kind.input.parse(input))
    const runAll = kind.runAll?.bind(kind)
    const errors = runAll
      ? await inSpan('job', `job ${kind.name}`, () => runAll(ctx, inputs, signal))
      : await Promise.all(
          inputs.map((input, i) =>
            inSpan('job', `job ${kind.name}`, () => kind.run(ctx, input, signal, tasks[i]?.lane)).catch(
              (error: unknown) => error,
            ),
          ),
        )
    const done = tasks.filter((_, i) => errors[i] === undefined)
    await endTasks(this.#db, done)
    for (const [i, task] of tasks.entries())
      if (errors[i] !== undefined)
        await this.#fail(kind, task, { input: inputs[i], error: errors[i] }, signals)
  }

  async #fail(
    kind: FairKind,
    task: Task,
    { input, error }: { input: unknown; error: unknown },
    { broken }: Signals,
  ): Promise<void> {
    const { log, now } = this.#ctx
    const db = this.#db
    if (error instanceof MovedTo) return moveTask(db, task, error.place, now())
    if (broken.aborted) return returnTask(db, task, now())
    const facts = { err: error, job: kind.name, task_id: task.task_id, attempts: task.attempts }
    if (task.attempts <= this.#retries(kind)) {
      log.warn(facts, 'a task failed and will be tried again')
      return delayTask(db, task, now() + Math.min(LONGEST, FIRST_DELAY * 2 ** (task.attempts - 1)))
    }
    log.error(facts, 'a task failed for good')
    await kind.dead?.(this.#ctx, input)
    await endTasks(db, [task])
    await notifyProvider(this.#ctx, {
      alert_key: `job ${kind.name}`,
      text: 'job_failed',
      values: { job: kind.name },
      alert_severity: 'High',
    })
  }
}
