import { setTimeout as pause } from 'node:timers/promises'
import { tellProvider } from '../alerts/tell-provider.ts'
import type { House } from '../house.ts'
import type { Database } from '../ports/database/pool.ts'
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
import { type FairShare, type Lane, MovedTo } from './fair.ts'
import type { JobKind } from './kind.ts'

/** Milliseconds between two looks for work while there is none. */
const LOOK_MS = 200
/** Milliseconds to wait after the database could not be asked. */
const TROUBLED_MS = 2000
/** Seconds before the second attempt; each further one waits twice as long, up to `LONGEST`. */
const FIRST_DELAY = 2
const LONGEST = 300

/** Milliseconds in which work that is broken off ends what it started, and is given back. */
const BREAKING_MS = 4000

const DEADLY = new Error('its workers ended, every time')

/** A kind whose work is shared out between clients. */
export type FairKind = JobKind<unknown> & { fair: FairShare<unknown> }

/** Works on the lanes of fair kinds until it is stopped. */
export class FairWorkers {
  /** What the work stands on: its statements may take long. */
  readonly #house: House
  /** For the queue's own statements, which may not: a connection that died under one would be missed for as long. */
  readonly #db: Database
  readonly #kinds: ReadonlyMap<string, FairKind>
  readonly #retries: (kind: FairKind) => number
  readonly #ending = new AbortController()
  /** The time of what is under way is over. */
  readonly #breaking = new AbortController()
  readonly #loops: Promise<void>[] = []
  /** Wakes the idle workers of a lane. */
  readonly #bells = new Map<string, Set<() => void>>()

  constructor(
    { house, db }: { house: House; db: Database },
    kinds: readonly FairKind[],
    retries: (kind: FairKind) => number,
  ) {
    this.#house = house
    this.#db = db
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]))
    this.#retries = retries
    const lanes = kinds.flatMap(({ fair }) => Object.entries(fair.lanes))
    for (const [name, lane] of lanes) {
      this.#bells.set(name, new Set())
      for (let i = 0; i < lane.workers; i++) this.#loops.push(this.#work(name, lane))
    }
    this.#loops.push(this.#look([...this.#bells.keys()]))
  }

  /** Takes no more work and waits for what is under way; after `milliseconds` that is broken off and left to others. */
  async stop(milliseconds: number): Promise<void> {
    this.#ending.abort()
    for (const bells of this.#bells.values()) for (const ring of bells) ring()
    const all = Promise.all(this.#loops).then(() => true)
    const within = (limit: number) => Promise.race([all, pause(limit, false, { ref: false })])
    if (await within(milliseconds)) return
    this.#breaking.abort(new Error('the process ends'))
    await within(BREAKING_MS)
  }

  async #look(lanes: readonly string[]): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        for (const lane of await findDueLanes(this.#db, lanes, this.#house.now()))
          for (const ring of this.#bells.get(lane) ?? []) ring()
        await this.#rest(LOOK_MS)
      } catch (error) {
        await this.#trouble(error)
      }
    }
  }

  async #work(name: string, lane: Lane): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        const { now } = this.#house
        const tasks = await takeTasks(this.#db, name, lane.batch, now())
        if (tasks.length > 0) await this.#run(tasks)
        else await this.#sleep(name)
      } catch (error) {
        await this.#trouble(error)
      }
    }
  }

  /** Until something may be due in the lane. */
  async #sleep(lane: string): Promise<void> {
    const bells = this.#bells.get(lane)
    await new Promise<void>((resolve) => {
      if (this.#ending.signal.aborted) return resolve()
      const ring = () => {
        bells?.delete(ring)
        resolve()
      }
      bells?.add(ring)
    })
  }

  async #rest(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#ending.signal }).catch(() => undefined)
  }

  async #trouble(error: unknown): Promise<void> {
    if (this.#ending.signal.aborted) return
    this.#house.log.warn({ err: error }, 'the queue of clients cannot be asked now')
    await this.#rest(TROUBLED_MS)
  }

  async #run(tasks: readonly Task[]): Promise<void> {
    const lost = new AbortController()
    const signal = AbortSignal.any([lost.signal, this.#breaking.signal])
    const beat = setInterval(() => void this.#prolong(tasks, lost), (LEASE * 1000) / 3)
    try {
      const byKind = Map.groupBy(tasks, ({ kind }) => kind)
      await Promise.all([...byKind].map(([name, some]) => this.#runKind(name, some, signal)))
    } finally {
      clearInterval(beat)
    }
  }

  async #prolong(tasks: readonly Task[], lost: AbortController): Promise<void> {
    const left = await prolongTasks(this.#db, tasks, this.#house.now()).catch(() => tasks.length)
    if (left === 0) lost.abort(new Error('another worker has taken the task over'))
  }

  async #runKind(name: string, tasks: readonly Task[], signal: AbortSignal): Promise<void> {
    const kind = this.#kinds.get(name)
    // Of another version, which runs elsewhere: it comes due again.
    if (!kind) return
    // Whatever took its workers with it so often would take more.
    const deadly = tasks.filter(({ attempts }) => attempts > this.#retries(kind) + 1)
    for (const task of deadly) await this.#fail(kind, task, kind.input.parse(task.input), DEADLY)
    await this.#runAll(
      kind,
      tasks.filter((task) => !deadly.includes(task)),
      signal,
    )
  }

  async #runAll(kind: FairKind, tasks: readonly Task[], signal: AbortSignal): Promise<void> {
    if (tasks.length === 0) return
    const house = this.#house
    const inputs = tasks.map(({ input }) => kind.input.parse(input))
    const errors = kind.runAll
      ? await kind.runAll(house, inputs, signal)
      : await Promise.all(
          inputs.map((input, i) =>
            kind.run(house, input, signal, tasks[i]?.lane).catch((error: unknown) => error),
          ),
        )
    const done = tasks.filter((_, i) => errors[i] === undefined)
    await endTasks(this.#db, done)
    for (const [i, task] of tasks.entries())
      if (errors[i] !== undefined) await this.#fail(kind, task, inputs[i], errors[i])
  }

  async #fail(kind: FairKind, task: Task, input: unknown, error: unknown): Promise<void> {
    const { log, now } = this.#house
    const db = this.#db
    if (error instanceof MovedTo) return moveTask(db, task, error.place, now())
    if (this.#breaking.signal.aborted) return returnTask(db, task, now())
    const facts = { err: error, job: kind.name, task_id: task.task_id, attempts: task.attempts }
    if (task.attempts <= this.#retries(kind)) {
      log.warn(facts, 'a task failed and will be tried again')
      return delayTask(db, task, now() + Math.min(LONGEST, FIRST_DELAY * 2 ** (task.attempts - 1)))
    }
    log.error(facts, 'a task failed for good')
    await kind.dead?.(this.#house, input)
    await endTasks(db, [task])
    await tellProvider(this.#house, {
      alert_key: `job ${kind.name}`,
      text: 'job_failed',
      values: { job: kind.name },
      alert_severity: 'High',
    })
  }
}
