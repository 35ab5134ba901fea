import type * as z from 'zod/mini'
import type { GlobalTx } from './database/lease.ts'

/** Workers of one kind of task. */
export interface Lane {
  /** Tasks that one worker takes at a time. */
  readonly batch: number
  /** Workers in each process. */
  readonly workers: number
  /** Most tasks of one client that are under way at a time, over all processes. Absent: as many as there are workers. */
  readonly per_client?: number
  /** Whether interrupted work continues where it stopped: it is interrupted at once when its process ends. */
  readonly resumes?: boolean
}

/** The lane of a task, and its cost for its client. */
export interface Place {
  readonly lane: string
  /** Seconds of a core, as estimated. */
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
  /** Work that clients cause: shared out between them. Absent: first come, first served. */
  readonly fair?: FairShare<T>
}

/** The queue. */
export interface Jobs {
  /** Asks for the work within the transaction of its cause: both happen or neither. Inputs of one call have keys of their own. */
  send<T>(tx: GlobalTx, kind: JobAddress<T>, ...inputs: T[]): Promise<void>
  /** Ends the workers after the jobs under way. */
  stop(): Promise<void>
}

/** How slow work may be, and how long. */
export interface WorkLimits {
  bytesPerSecond: number
  /** Seconds over which the bytes are counted. */
  overSeconds: number
  runSeconds: number
}
