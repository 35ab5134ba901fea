import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import type pg from 'pg'
import { translatePgError } from './problem.ts'
import type { Schema } from './schema.ts'

/** One checked-out connection with its tenant set. Valid until the function it was given to has ended. */
export interface Queryable {
  /** Query builder bound to this connection. */
  readonly kysely: Kysely<Schema>
  /**
   * Plain SQL for the hottest statements. With a `name` the statement is prepared once per connection (about a
   * quarter less CPU); a name must always stand for the same text.
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
  #client: pg.PoolClient
  #open = true
  #last: Promise<unknown> = Promise.resolve()
  #kysely: Kysely<Schema> | undefined

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  get kysely(): Kysely<Schema> {
    this.#kysely ??= new Kysely<Schema>({ dialect: dialectOf(this) })
    return this.#kysely
  }

  async query<Row>(
    text: string,
    values: readonly unknown[] = [],
    name?: string,
  ): Promise<{ rows: Row[]; rowCount: number }> {
    const { rows, rowCount } = await this.run<Row & pg.QueryResultRow>({
      text,
      values: [...values],
      ...(name ? { name } : {}),
    })
    return { rows, rowCount: rowCount ?? 0 }
  }

  run<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    if (!this.#open)
      return Promise.reject(new Error('This connection was given back: await every query before returning.'))
    const result = this.#last
      .then(() => this.#client.query<Row>(statement))
      .catch((error: unknown) => {
        this.failed = true
        throw translatePgError(error)
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

const adapter = new PostgresAdapter()
const compiler = new PostgresQueryCompiler()

function dialectOf(lease: Lease): Dialect {
  const driver = new LeaseDriver(lease)
  return {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createQueryCompiler: () => compiler,
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}

/** Kysely's way to exactly one connection. Transactions belong to `Database.write`, which also sets the tenant. */
class LeaseDriver implements Driver, DatabaseConnection {
  #lease: Lease

  constructor(lease: Lease) {
    this.#lease = lease
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.#lease.run<Row & pg.QueryResultRow>({ text: sql, values: [...parameters] })
    const counted = /^(INSERT|UPDATE|DELETE|MERGE)$/.test(result.command)
    return counted
      ? { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) }
      : { rows: result.rows }
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming is not offered: page by key instead.')
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
  async releaseConnection(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this
  }

  async beginTransaction(): Promise<void> {
    throw new Error('Use write() of the database for a transaction.')
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
}
