import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseProblem, translatePgError } from './problem.ts'

/** int8 as a number: counts and epoch milliseconds fit in 2^53; other values must not be rounded silently. */
function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('A bigint column holds a value beyond 2^53')
  return value
}

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, parseInt8)
// A date has no time zone; pg would convert it to this machine's midnight.
types.setTypeParser(pg.types.builtins.DATE, (text) => text)

/** Waiting times for a database in ms: together less than the ten seconds of a request. */
export const PATIENCE = {
  /** For a connection: a free one of the pool, or a new one. */
  connection: 4_000,
  /** For a statement, unless `Database.within` sets another limit. */
  statement: 4_500,
  /** Additional time for PostgreSQL to report its own timeout before the connection counts as dead. */
  answer: 500,
} as const

/**
 * Time in ms that a database may take to answer at start: it may be starting itself, or share a busy machine.
 */
export const START_PATIENCE = 30_000

/** Detects a peer that vanished while the connection is idle. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const

/**
 * For every writing session: a server, database or role may acknowledge commits before they are on disk.
 * Levels above `on`, which also wait for standbys, stay.
 */
export const DURABLE = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`

/** A statement with its own timeout in ms; pg knows it, its types do not. */
export type TimedQuery = pg.QueryConfig & { query_timeout: number }

export interface PoolOptions {
  connection: string
  appName: string
  max: number
  /** Milliseconds that a statement may take. */
  statement: number
  /** Milliseconds to wait for a connection, where that is not `PATIENCE.connection`. */
  wait?: number
  /** Run on every new connection before its first use. */
  setup?: string
}

/** Idle connections of each pool. */
const idleClients = new WeakMap<pg.Pool, Set<pg.PoolClient>>()

/** A pool with our type parsers that survives lost connections: the next checkout opens a new one. */
export function openPool({ connection, appName, max, statement, wait, setup }: PoolOptions): pg.Pool {
  // A transaction that is idle for a minute is a fault; it would hold locks and block vacuum.
  const limits = `set statement_timeout = ${statement}; set idle_in_transaction_session_timeout = '60s'`
  const prepared: TimedQuery = {
    text: [DURABLE, limits, ...(setup === undefined ? [] : [setup])].join('; '),
    query_timeout: PATIENCE.statement,
  }
  const pool = new pg.Pool({
    connectionString: connection,
    application_name: appName,
    max,
    types,
    ...KEEP_ALIVE,
    connectionTimeoutMillis: wait ?? PATIENCE.connection,
    query_timeout: statement + PATIENCE.answer,
    onConnect: (client: pg.ClientBase) => client.query(prepared).then(() => undefined),
  })
  // An 'error' event without a listener ends the process. The statement under way, or the next checkout,
  // reports the loss.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const idle = new Set<pg.PoolClient>()
  pool.on('acquire', (client) => idle.delete(client))
  pool.on('release', (_error, client) => idle.add(client))
  pool.on('remove', (client) => idle.delete(client))
  idleClients.set(pool, idle)
  return pool
}

/** Closed connections, until their pool notices. */
const abandoned = new WeakSet<pg.ClientBase>()

/** A connection of the pool that is still open. */
export async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  for (;;) {
    const client = await pool.connect()
    if (!abandoned.has(client)) return client
    client.release(true)
  }
}

/**
 * Closes the idle connections of a pool: when one fell silent the others are likely dead too, and each would
 * cost a caller the full timeout. Connections in use have their own limits.
 * @returns how many it closed
 */
export function replaceIdle(pool: pg.Pool): number {
  const clients = [...(idleClients.get(pool) ?? [])].filter((client) => !abandoned.has(client))
  for (const client of clients) hangUp(client)
  return clients.length
}

/** Closes a connection without a farewell, because a dead peer would never answer it. */
export function hangUp(client: pg.ClientBase): void {
  abandoned.add(client)
  const { connection } = client as pg.ClientBase & { connection: { stream: Duplex } }
  connection.stream.destroy()
}

/** A separate connection with our type parsers for work of any duration. The caller ends it. */
export async function openConnection(connection: string, appName: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: connection,
    application_name: appName,
    types,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  })
  // The statement under way, or the next one, reports a lost connection.
  client.on('error', () => undefined)
  await client.connect()
  return client
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
