import { hash } from 'node:crypto'
import type pg from 'pg'
import { inSpan } from '../tracing.ts'
import { PATIENCE, type TimedQuery } from './connect.ts'
import { DatabaseProblem, isCancelled, translatePgError } from './problem.ts'

/** One checked-out connection, valid until its function has ended. */
export interface GlobalQueryable {
  /**
   * Runs a statement. A text with values that is used often is prepared (about a quarter less CPU), unless it is
   * `unprepared`: the best plan depends on the values, for example on the length of an array.
   */
  query<Row>(
    text: string,
    values?: readonly unknown[],
    preparation?: 'unprepared',
  ): Promise<{ rows: Row[]; rowCount: number }>
  rows<Row>(...statement: Statement): Promise<Row[]>
  /** Its first row; undefined: it has none. */
  row<Row>(...statement: Statement): Promise<Row | undefined>
  /** The only column of its rows. */
  column<Value>(...statement: Statement): Promise<Value[]>
  /** The only column of its first row; undefined: it has none. */
  value<Value>(...statement: Statement): Promise<Value | undefined>
  /** The number that it counts, in its only column. */
  count(...statement: Statement): Promise<number>
}

/** The arguments of `query`. */
type Statement = Parameters<GlobalQueryable['query']>

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

/** What a statement gives, by its `query`. */
export abstract class Statements implements GlobalQueryable {
  abstract query<Row>(...statement: Statement): Promise<{ rows: Row[]; rowCount: number }>

  async rows<Row>(...statement: Statement): Promise<Row[]> {
    const { rows } = await this.query<Row>(...statement)
    return rows
  }

  async row<Row>(...statement: Statement): Promise<Row | undefined> {
    const [first] = await this.rows<Row>(...statement)
    return first
  }

  async column<Value>(...statement: Statement): Promise<Value[]> {
    const rows = await this.rows<Record<string, Value>>(...statement)
    return rows.flatMap((row) => Object.values(row).slice(0, 1))
  }

  async value<Value>(...statement: Statement): Promise<Value | undefined> {
    const [first] = await this.column<Value>(...statement)
    return first
  }

  async count(...statement: Statement): Promise<number> {
    return (await this.value<number>(...statement)) ?? 0
  }
}

/** The use of a statement at which it is prepared. */
const PREPARED_USE = 5

/**
 * Names under which connections prepare statements: those of the first `most` texts that are used often. The name of other
 * statements is undefined. The uses of at most so many other texts are counted.
 */
export function preparedNames(most: number): (...statement: Statement) => string | undefined {
  const names = new Map<string, string>()
  /** Uses of texts that are not prepared; the text that was used last is at the end. */
  const useCounts = new Map<string, number>()
  return (text, values = [], preparation) => {
    // Without values a text may hold several statements, which cannot be prepared.
    if (preparation !== undefined || values.length === 0) return undefined
    const known = names.get(text)
    if (known !== undefined || names.size >= most) return known
    const uses = (useCounts.get(text) ?? 0) + 1
    useCounts.delete(text)
    if (uses >= PREPARED_USE) {
      const name = hash('sha256', text, 'base64url')
      names.set(text, name)
      return name
    }
    useCounts.set(text, uses)
    const [oldest] = useCounts.size > most ? useCounts.keys() : []
    if (oldest !== undefined) useCounts.delete(oldest)
    return undefined
  }
}

/** Name under which the connections of this process prepare a statement. Each connection keeps the plans in memory. */
export const preparedName: ReturnType<typeof preparedNames> = preparedNames(1_000)

/** A statement's verb and first table, for traces. */
const summary = (text: string): string =>
  [/\w+/.exec(text)?.[0], /\b(?:from|into|update)\s+(\w+)/.exec(text)?.[1]].filter(Boolean).join(' ')

/**
 * The use of a connection between checkout and return. Statements run one after another (pg is about to
 * forbid overlapping ones). After `close` none runs, so a kept reference cannot reach the next tenant's rows.
 */
export class Lease extends Statements implements GlobalTx {
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
    super()
    this.#client = client
    this.limit = limit
  }

  async query<Row>(
    text: string,
    values: readonly unknown[] = [],
    preparation?: 'unprepared',
  ): Promise<{ rows: Row[]; rowCount: number }> {
    const name = preparedName(text, values, preparation)
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
      const name = () => `SQL ${summary(statement.text)}`
      return await inSpan('call', name, () => this.#client.query<Row>(statement))
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

const limitByClient = new WeakMap<pg.PoolClient, number>()

/** Last use of a connection (`performance.now()`). */
const usedAt = new WeakMap<pg.PoolClient, number>()
/** Milliseconds after which an idle connection may have died unnoticed. */
const STALE = 1_000

/**
 * Sets the statement timeout of a session when it changes. Repeats it before a long statement on an idle
 * connection, so that a dead one fails within the usual timeout.
 */
async function setLimit(client: pg.PoolClient, limit: number): Promise<void> {
  const isStale = limit > PATIENCE.statement && performance.now() - (usedAt.get(client) ?? 0) > STALE
  if ((limitByClient.get(client) ?? PATIENCE.statement) === limit && !isStale) return
  limitByClient.delete(client)
  await client.query(`set statement_timeout = ${Math.round(limit)}`)
  limitByClient.set(client, limit)
}

/** Notes that the connection worked just now. */
export const noteUse = (client: pg.PoolClient): unknown => usedAt.set(client, performance.now())

/** `intact: false`: the state of the session is unknown, and the connection is closed. */
export type Outcome<T> = { intact: boolean } & ({ value: T } | { error: unknown })

/** Reads with a lease of the connection. */
export async function reading<L extends Lease, T>(
  client: pg.PoolClient,
  lease: L,
  work: (q: L) => Promise<T>,
): Promise<Outcome<T>> {
  await setLimit(client, lease.limit)
  const result = await settle(() => work(lease))
  await lease.close()
  return { ...result, intact: !lease.failed }
}

/** As `reading`. When the signal aborts, the running statement is cancelled and none follows. */
export async function readingUntil<L extends Lease, T>(
  signal: AbortSignal,
  canceller: pg.Pool,
  client: pg.PoolClient,
  lease: L,
  work: (q: L) => Promise<T>,
): Promise<Outcome<T>> {
  let cancelling: Promise<boolean> | undefined
  const abandon = () => {
    if (lease.abandon()) cancelling = cancel(canceller, client)
  }
  signal.addEventListener('abort', abandon, { once: true })
  if (signal.aborted) abandon()
  const outcome = await reading(client, lease, work)
  signal.removeEventListener('abort', abandon)
  // A cancellation that is still under way would hit the next statement of this connection.
  const isSettled = (await cancelling) ?? true
  return { ...outcome, intact: outcome.intact && isSettled }
}

/** Cancels the running statement of a connection. Resolves to whether the database has answered. */
async function cancel(canceller: pg.Pool, client: pg.PoolClient): Promise<boolean> {
  const { processID } = client as pg.PoolClient & { processID: number | null }
  return canceller.query('select pg_cancel_backend($1)', [processID]).then(
    () => true,
    () => false,
  )
}

/** Does the work in one transaction. */
export async function transaction<L extends Lease, T>(
  client: pg.PoolClient,
  begin: string,
  lease: L,
  work: (tx: L) => Promise<T>,
): Promise<Outcome<T>> {
  await setLimit(client, lease.limit)
  await client.query(begin)
  const result = await settle(() => work(lease))
  await lease.close()
  if ('error' in result) {
    // A silent connection is closed without a rollback; closing it rolls back as well.
    if (lease.lost) return { ...result, intact: false }
    await client.query('rollback').catch(() => undefined)
    return { ...result, intact: client.getTransactionStatus() === 'I' }
  }
  const commit: TimedQuery = { text: 'commit', query_timeout: lease.limit + PATIENCE.answer }
  let isAlone = false
  // When an operator cancels the wait for the archive or a standby, PostgreSQL warns and reports success for
  // a commit that may be lost.
  const listen = ({ message }: { message: string | undefined }) => {
    isAlone ||= /wait.* for synchronous replication/.test(message ?? '')
  }
  client.on('notice', listen)
  const { command } = await client.query(commit).finally(() => client.off('notice', listen))
  if (isAlone) return { intact: true, error: new DatabaseProblem('unavailable', null, 'no second copy') }
  // PostgreSQL answers COMMIT with ROLLBACK, and no error, when the work ignored a failed statement.
  if (command !== 'COMMIT') {
    return {
      intact: true,
      error: new Error(
        'A statement of the transaction failed and its error was swallowed; nothing was written.',
      ),
    }
  }
  return { ...result, intact: true }
}

async function settle<T>(work: () => Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error }
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
