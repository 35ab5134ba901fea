import type pg from 'pg'
import { inSpan } from '../tracing.ts'
import { PATIENCE, type TimedQuery } from './connect.ts'
import { DatabaseProblem, isCancelled, translatePgError } from './problem.ts'

/** One checked-out connection, valid until its function has ended. */
export interface GlobalQueryable {
  /**
   * Runs a statement. A `name` prepares it once per connection (about a quarter less CPU); a name must always
   * have the same text.
   */
  query<Row>(
    text: string,
    values?: readonly unknown[],
    name?: string,
  ): Promise<{ rows: Row[]; rowCount: number }>
}

/** A connection inside a transaction, which writing functions require. */
export interface GlobalTx extends GlobalQueryable {
  readonly in_transaction: true
}

/**
 * A connection with its tenant set. The type excludes connections without a tenant, which see empty tenant
 * tables.
 */
export interface Queryable extends GlobalQueryable {
  /** The tenant whose rows are visible. */
  readonly client_id: number
}

/** A tenant's connection inside a transaction. */
export interface Tx extends GlobalTx, Queryable {}

/**
 * The use of a connection between checkout and return. Statements run one after another (pg is about to
 * forbid overlapping ones). After `close` none runs, so a kept reference cannot reach the next tenant's rows.
 */
export class Lease implements GlobalTx {
  readonly in_transaction = true
  /** True once a statement has failed. */
  failed = false
  /**
   * True once a statement failed for the database's reasons: the connection may be dead and gets no further
   * statement.
   */
  lost = false
  /** Milliseconds that each statement may take. */
  readonly limit: number
  #client: pg.PoolClient
  #open = true
  #isAbandoned = false
  #isRunning = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(client: pg.PoolClient, limit: number) {
    this.#client = client
    this.limit = limit
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
      query_timeout: this.limit + PATIENCE.answer,
    })
    return { rows, rowCount: rowCount ?? 0 }
  }

  #run<Row extends pg.QueryResultRow>(statement: TimedQuery): Promise<pg.QueryResult<Row>> {
    if (!this.#open)
      return Promise.reject(new Error('This connection was given back: await every query before returning.'))
    const result = this.#last.then(() => this.#send<Row>(statement))
    this.#last = result.catch(() => undefined)
    return result
  }

  async #send<Row extends pg.QueryResultRow>(statement: TimedQuery): Promise<pg.QueryResult<Row>> {
    if (this.#isAbandoned) throw new DatabaseProblem('abandoned', null, undefined)
    this.#isRunning = true
    try {
      return await inSpan('call', `SQL ${statement.name ?? 'statement'}`, () =>
        this.#client.query<Row>(statement),
      )
    } catch (error) {
      if (this.#isAbandoned && isCancelled(error)) throw new DatabaseProblem('abandoned', null, error)
      this.failed = true
      const problem = translatePgError(error)
      this.lost ||= problem instanceof DatabaseProblem && problem.kind === 'unavailable'
      throw problem
    } finally {
      this.#isRunning = false
    }
  }

  /** Refuses further statements. Returns whether one is running, which is then to be cancelled. */
  abandon(): boolean {
    this.#isAbandoned = true
    return this.#isRunning
  }

  /** Refuses further statements and waits for the running ones. */
  async close(): Promise<void> {
    this.#open = false
    await this.#last
  }
}

/** A lease of a connection with its tenant set. */
export class TenantLease extends Lease implements Tx {
  readonly client_id: number

  constructor(client: pg.PoolClient, limit: number, clientId: number) {
    super(client, limit)
    this.client_id = clientId
  }
}

/** Runs work in a savepoint, which is rolled back when it fails; the transaction continues. */
export async function attempt<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await tx.query('savepoint attempt')
  try {
    const result = await work()
    await tx.query('release savepoint attempt')
    return result
  } catch (error) {
    await tx.query('rollback to savepoint attempt')
    throw error
  }
}

/** Returns the result of work and rolls its changes back. */
export async function rehearse<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await tx.query('savepoint rehearsal')
  try {
    return await work()
  } finally {
    await tx.query('rollback to savepoint rehearsal')
  }
}
