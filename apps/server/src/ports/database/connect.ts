import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseProblem, translatePgError } from './problem.ts'

/** int8 as a number: counts and epoch milliseconds fit in 2^53, and whatever does not must not be rounded silently. */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('A bigint column holds a value beyond 2^53')
  return value
}

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, parseInt8)
// A date has no time zone; pg would turn it into midnight of this machine's.
types.setTypeParser(pg.types.builtins.DATE, (text) => text)

export interface PoolOptions {
  connection: string
  appName: string
  max: number
  /** Run on every new connection before its first use. */
  setup?: string
  /** Milliseconds to wait for a connection (10 s when left out) and for an answer (for ever). */
  connectMs?: number
  queryMs?: number
}

/** A pool with our type parsers that survives lost connections: the next checkout makes a new one. */
export function openPool({ connection, appName, max, setup, connectMs, queryMs }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: connection,
    application_name: appName,
    max,
    types,
    keepAlive: true,
    connectionTimeoutMillis: connectMs ?? 10_000,
    ...(queryMs === undefined ? {} : { query_timeout: queryMs }),
    ...(setup === undefined
      ? {}
      : { onConnect: (client: pg.ClientBase) => client.query(setup).then(() => undefined) }),
  })
  // An 'error' event without a listener ends the process. Idle connections report to the pool, used ones to themselves;
  // in both cases the statement under way, or the next checkout, reports the loss to somebody who can answer for it.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Waits up to `patience_ms` for a database that is still starting; other failures (password, name) are thrown at once. */
export async function waitForDatabase(pool: pg.Pool, patience_ms: number): Promise<void> {
  const deadline = Date.now() + patience_ms
  for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
    try {
      await pool.query('select 1')
      return
    } catch (error) {
      const problem = translatePgError(error)
      if (!(problem instanceof DatabaseProblem) || Date.now() + pause > deadline) throw problem
      await sleep(pause)
    }
  }
}
