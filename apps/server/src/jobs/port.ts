import type * as z from 'zod/mini'
import type { FairShare } from './fair.ts'
import type { GlobalTx } from '../ports/database/lease.ts'

/** Where work is asked for, and what it needs to know. */
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
