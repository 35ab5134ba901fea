import { Batcher } from '../ports/database/batcher.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { Database } from '../ports/database/pool.ts'
import type { AuditLog } from './audit.ts'
import type { ActBatcher, AuditEntry } from './context.ts'

interface SharedActsOptions<Act, Result> {
  db: Database
  audit: AuditLog
  /**
   * Writes acts of one tenant; resolves to their results in order. It has no effect outside the transaction.
   */
  work: (tx: Tx, acts: readonly Act[]) => Promise<readonly Result[]>
  /** Largest total size of the acts of a transaction. */
  most: number
  getSize: (act: Act) => number
}

/**
 * Batches acts of several callers of one tenant into one transaction, each with its audit entry; see
 * `DeviceContext.writeBatched`.
 */
export class AuditedBatcher<Act, Result> implements ActBatcher<Act, Result> {
  readonly #work: Batcher<{ act: Act; entry: () => AuditEntry }, Result>

  constructor({ db, audit, work, most, getSize }: SharedActsOptions<Act, Result>) {
    this.#work = new Batcher({
      run: (client_id, items) =>
        db.write(client_id, async (tx) => {
          const acts = items.map(({ act }) => act)
          const results = await work(tx, acts)
          await audit.appendWithin(tx, ...items.map(({ entry }) => entry()))
          return results
        }),
      most,
      getSize: ({ act }) => getSize(act),
    })
  }

  /** Resolves once the act and its audit entry are durable. */
  add(client_id: number, act: Act, entry: () => AuditEntry): Promise<Result> {
    return this.#work.add(client_id, { act, entry })
  }
}
