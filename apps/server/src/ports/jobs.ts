import type * as z from 'zod/mini'
import type { GlobalTx } from './database/lease.ts'

/** Worker settings of one kind of task. */
export interface Lane {
  /** Tasks that one worker takes at a time. */
  readonly batch: number
  /** Workers in each process. */
  readonly workers: number
  /** Most concurrent tasks of one client over all processes. Absent: as many as there are workers. */
  readonly per_client?: number
  /** Whether interrupted work continues where it stopped: it is interrupted at once when its process ends. */
  readonly resumes?: boolean
}

/** The lane of a task, and its cost for its client. */
export interface Place {
  readonly lane: string
  /** Estimated CPU seconds. */
  readonly cost: number
}

/**
 * Fair shares for work that clients cause: every client gets its share of each lane's workers, by cost, over
 * all processes. A client with much work delays only itself.
 */
export interface FairShare<T> {
  readonly lanes: Readonly<Record<string, Lane>>
  client(input: T): number
  place(input: T): Place
  /** Whether a sweep sends it: waiting or running work stays unchanged. Absent: it runs once again. */
  readonly is_swept?: boolean
}

/** Queue address and input of a job. */
export interface JobAddress<T> {
  /** Queue name, e.g. `payloads.process`. */
  readonly name: string
  readonly input: z.ZodMiniType<T>
  /** At most one job with the same key is waiting or running. */
  key?(input: T): string
  /** Fair shares between clients. Absent: first come, first served. */
  readonly fair?: FairShare<T>
}

/** The queue. */
export interface Jobs {
  /**
   * Queues the work in the transaction of its cause: both happen or neither. Inputs of one call have
   * different keys.
   */
  send<T>(tx: GlobalTx, kind: JobAddress<T>, ...inputs: T[]): Promise<void>
  /** Stops the workers after the running jobs. */
  stop(): Promise<void>
}

/** Limits of speed and duration of work. */
export interface WorkLimits {
  bytesPerSecond: number
  /** Seconds of the measuring window. */
  overSeconds: number
  runSeconds: number
}
