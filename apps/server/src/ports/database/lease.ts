import type pg from 'pg'
import type { TimedQuery } from './connect.ts'
import { DatabaseProblem, translatePgError } from './problem.ts'

/** One checked-out connection with its tenant set. Valid until the function it was given to has ended. */
export interface Queryable {
  /**
   * Runs a statement. With a `name` it is prepared once per connection (about a quarter less CPU); a name must always stand
   * for the same text.
   */
  query<Row>(
    text: string,
    values?: readonly unknown[],
    name?: string,
  ): Promise<{ rows: Row[]; rowCount: number }>
}

/** A `Queryable` inside a transaction: functions that write ask for this one. */
export interface Tx extends Queryable {
  readonly in_transaction: true
}

/**
 * The time between checking a connection out and giving it back. Statements run one after another (pg is about to
 * forbid overlapping ones), and after `close` none runs, so a kept reference cannot reach the next tenant's rows.
 */
export class Lease implements Tx {
  readonly in_transaction = true
  /** True once a statement has failed. */
  failed = false
  /** True once the database could not serve a statement: the connection may be dead, and nothing more is asked of it. */
  lost = false
  #client: pg.PoolClient
  /** Milliseconds that each statement may take. */
  #limit: number
  #open = true
  #last: Promise<unknown> = Promise.resolve()

  constructor(client: pg.PoolClient, limit: number) {
    this.#client = client
    this.#limit = limit
  }

  async query<Row>(
    text: string,
    values: readonly unknown[] = [],
    name?: string,
  ): Promise<{ rows: Row[]; rowCount: number }> {
    const { rows, rowCount } = await this.#run<Row & pg.QueryResultRow>({
      text,
      values: [...values],
      ...(name ? { name } : {}),
      query_timeout: this.#limit,
    })
    return { rows, rowCount: rowCount ?? 0 }
  }

  #run<Row extends pg.QueryResultRow>(statement: TimedQuery): Promise<pg.QueryResult<Row>> {
    if (!this.#open)
      return Promise.reject(new Error('This connection was given back: await every query before returning.'))
    const result = this.#last
      .then(() => this.#client.query<Row>(statement))
      .catch((error: unknown) => {
        this.failed = true
        const problem = translatePgError(error)
        this.lost ||= problem instanceof DatabaseProblem && problem.kind === 'unavailable'
        throw problem
      })
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Refuses further statements and waits for those under way. */
  async close(): Promise<void> {
    this.#open = false
    await this.#last
  }
}
