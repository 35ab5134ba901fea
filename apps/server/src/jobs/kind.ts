import * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import type { JobAddress } from '../ports/jobs.ts'

/** A kind of work outside requests: a worker runs it at least once, so it must be safe to repeat. */
export interface JobKind<T> extends JobAddress<T> {
  /** Concurrent runs in one worker. */
  readonly concurrency?: number
  /** Attempts after the first before the job is set aside as dead. Default 5, with growing pauses. */
  readonly retries?: number
  /** Seconds after which a silent worker counts as dead and another one takes the job over. Default 30. */
  readonly heartbeat?: number
  /** Seconds between runs, for periodic work. */
  readonly every?: number
  /** `lane` is the lane of the task, for a fair kind. */
  run(ctx: AppContext, input: T, signal: AbortSignal, lane?: string): Promise<void>
  /**
   * Runs several tasks at once, for a fair kind; resolves to the error of each, in order. One failure must
   * not fail the others. Without it each task runs alone.
   */
  runAll?(ctx: AppContext, inputs: readonly T[], signal: AbortSignal): Promise<readonly unknown[]>
  /** Called when all attempts have failed. */
  dead?(ctx: AppContext, input: T): Promise<void>
}

const NO_INPUT = z.object({})

/** Declares a kind of job. */
export const jobKind = <T>(kind: JobKind<T>): JobKind<T> => kind

/** Declares work that repeats every so many seconds, without input. */
export const periodicJob = (
  kind: Omit<JobKind<Record<string, never>>, 'input'> & { every: number },
): JobKind<Record<string, never>> => jobKind({ ...kind, input: NO_INPUT })
