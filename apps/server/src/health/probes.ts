import type { AppContext } from '../app-context.ts'
import { askDatabase } from './store.ts'

/** Milliseconds. Health checks answer within three seconds in every fault; probes that write are not run for each caller. */
const LIMIT = 2_000
const KEEP = 1_000
const KEEP_WRITTEN = 5_000

/** Checks one part; resolves in time and never rejects. */
export type Probe = () => Promise<PartState>

/** The dependencies of this process, each with its check. */
export interface Probes {
  database: Probe
  objects: Probe
  keys: Probe
  scanner: Probe
  space: Probe
}

/** A probe for each part of a server. */
export function getProbes(ctx: AppContext): Probes {
  const { db, objects, keys, scanner, space } = ctx
  const probe = (check: () => Promise<unknown>, keep = KEEP) =>
    sharedProbe(async () => void (await check()), { limit: LIMIT, keep })
  return {
    database: probe(() => askDatabase(db)),
    // A store that can be written to but takes no upload for want of room is not fit for service either.
    objects: probe(async () => {
      if (objects.kind === 'filesystem') await space.assertRoom()
      await objects.health()
    }, KEEP_WRITTEN),
    keys: probe(() => keys.health(), KEEP_WRITTEN),
    scanner: scanner.configured ? probe(() => scanner.health()) : async () => 'not configured',
    space: probe(() => space.assertRoom()),
  }
}

/** Checks all parts at once. */
export async function askAll(probes: Probes): Promise<Record<string, PartState>> {
  const asked = Object.entries(probes) as [string, Probe][]
  return Object.fromEntries(await Promise.all(asked.map(async ([name, ask]) => [name, await ask()] as const)))
}

type PartState = 'ok' | 'unavailable' | 'not configured'

interface ProbeTimes {
  /** Milliseconds after which the answer is "unavailable", even if the check still runs. */
  limit: number
  /** Milliseconds for which an answer is good. */
  keep: number
}

/**
 * A shared check that runs once at a time, so that requests cannot load the checked part. It never rejects and always
 * answers within its limit; while a check hangs, no second one begins and every caller gets the answer at once.
 */
function sharedProbe(check: () => Promise<void>, { limit, keep }: ProbeTimes): () => Promise<PartState> {
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
