import type pg from 'pg'
import { openPool, waitForDatabase } from './connect.ts'
import { Lease, type Queryable, type Tx } from './lease.ts'
import { openListener, type NotificationHandler } from './listen.ts'
import { DatabaseProblem, translatePgError } from './problem.ts'
import { assertReplicaOf, replicaReads, systemIdentifier } from './replica.ts'

/** The role that requests work as: owns nothing, cannot bypass row-level security. `migrate` makes it. */
export const APP_ROLE = 'custodia_app'

/** The role as which the provider's staff read across clients; it sees only what runs the service. */
export const STAFF_ROLE = 'custodia_staff'

const READY_MS = 30_000
const WRITE_ATTEMPTS = 4
const OWNER_CONNECTIONS = 4

/** A transaction that waits for its program this long is a fault; it would hold locks and stop vacuum. */
const setupAs = (role: string) => `set role ${role}; set idle_in_transaction_session_timeout = '60s'`
const SETUP = setupAs(APP_ROLE)
const STAFF_CONNECTIONS = 2
/** A replica that does not answer is not waited for: the primary is there. */
const REPLICA_TIMES = { connectMs: 1_000, queryMs: 10_000 }

export interface DatabaseOptions {
  /** Connection string of the owner. */
  connection: string
  /** Shown in pg_stat_activity. */
  appName: string
  /** Most connections for tenants' work; half as many again serve `global`, and 4 the owner. */
  max?: number
  /** Connection string, as the same user, of a streaming replica that may answer `readAside`. */
  replica?: string | undefined
  /** Milliseconds by which it may lag with what others wrote; 5,000 when left out. */
  mostStale?: number
}

/**
 * Every tenant table has `client_id` and a policy that shows only rows of the tenant in `custodia.client_id`. This
 * port is the only place that sets it, so forgetting a condition in a query cannot show another client's rows.
 */
export interface Database {
  /** Reads as one tenant: no transaction, so every statement sees the newest committed rows. */
  read<T>(clientId: number, work: (q: Queryable) => Promise<T>): Promise<T>
  /**
   * Reads as one tenant where a streaming replica may answer: shows what the client's own people wrote (`countWrite`), and what others
   * wrote up to 5 s late. `work` may run twice. Not for rights, sessions and audit, nor for what a write is then based on.
   */
  readAside<T>(clientId: number, work: (q: Queryable) => Promise<T>): Promise<T>
  /**
   * One transaction as one tenant, rolled back when `work` throws. A serialization failure or deadlock runs `work`
   * again, up to 3 times: it must have no effect outside the transaction.
   */
  write<T>(clientId: number, work: (tx: Tx) => Promise<T>): Promise<T>
  /** Reads tables that belong to no tenant (clients, sessions, tokens); tenant tables look empty. */
  global<T>(work: (q: Queryable) => Promise<T>): Promise<T>
  /** Reads across clients as the provider's staff may: licences, alerts, support access, carriers; no payload and no activity. */
  acrossClients<T>(work: (q: Queryable) => Promise<T>): Promise<T>
  /** As `write`, without a tenant. */
  globalWrite<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Resolves, once listening, to a function that ends it. */
  listen(channel: string, handler: NotificationHandler): Promise<() => Promise<void>>
  /** The owner's connections, for migrations and the job queue's own tables only. */
  readonly owner: pg.Pool
  readonly connection: string
  close(): Promise<void>
}

/** Opens the pools and waits up to 30 s for a database that is still starting. */
export async function openDatabase({
  connection,
  appName,
  max = 10,
  replica,
  mostStale,
}: DatabaseOptions): Promise<Database> {
  const owner = openPool({ connection, appName: `${appName} owner`, max: OWNER_CONNECTIONS })
  let replicas: pg.Pool | undefined
  try {
    await waitForDatabase(owner, READY_MS)
    if (replica !== undefined) {
      const setup = `${assertReplicaOf(await systemIdentifier(owner))}; ${SETUP}`
      replicas = openPool({
        connection: replica,
        appName: `${appName} replica`,
        max,
        setup,
        ...REPLICA_TIMES,
      })
    }
  } catch (error) {
    await owner.end()
    throw error
  }
  const tenants = openPool({ connection, appName, max, setup: SETUP })
  // Connections of their own never have a tenant set, so neither side has to clear what the other one left.
  const globals = openPool({
    connection,
    appName: `${appName} global`,
    max: Math.ceil(max / 2),
    setup: SETUP,
  })
  const staff = openPool({
    connection,
    appName: `${appName} staff`,
    max: STAFF_CONNECTIONS,
    setup: setupAs(STAFF_ROLE),
  })
  const listener = openListener(connection, appName)
  const tenantOf = new WeakMap<pg.PoolClient, number>()

  async function setTenant(client: pg.PoolClient, clientId: number): Promise<void> {
    if (tenantOf.get(client) === clientId) return
    tenantOf.delete(client)
    await client.query({
      name: 'set_tenant',
      text: `select set_config('custodia.client_id', $1, false)`,
      values: [String(clientId)],
    })
    tenantOf.set(client, clientId)
  }

  const readAt =
    (pool: pg.Pool): Database['read'] =>
    async (clientId, work) => {
      assertClientId(clientId)
      return withClient(pool, (client) => reading(client, work, () => setTenant(client, clientId)))
    }
  const read = readAt(tenants)

  return {
    owner,
    connection,
    read,
    readAside: replicas ? replicaReads(read, readAt(replicas), mostStale) : read,
    async write(clientId, work) {
      assertClientId(clientId)
      return writing(tenants, `begin; set local custodia.client_id = '${clientId}'`, work)
    },
    global: (work) => withClient(globals, (client) => reading(client, work)),
    acrossClients: (work) => withClient(staff, (client) => reading(client, work)),
    globalWrite: (work) => writing(globals, 'begin', work),
    listen: (channel, handler) => listener.listen(channel, handler),
    async close() {
      await Promise.all([
        listener.close(),
        tenants.end(),
        globals.end(),
        staff.end(),
        replicas?.end(),
        owner.end(),
      ])
    },
  }
}

/** Also keeps the number safe to write into the statement above. */
function assertClientId(clientId: number): void {
  if (!Number.isInteger(clientId) || clientId < 1 || clientId > 2 ** 31 - 1)
    throw new RangeError('not a client_id')
}

/** `intact: false` means that nobody can vouch for the session's state any more: the connection is thrown away. */
type Outcome<T> = { intact: boolean } & ({ value: T } | { error: unknown })

async function withClient<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<Outcome<T>>): Promise<T> {
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw translatePgError(error)
  }
  const outcome = await use(client).catch((error: unknown): Outcome<T> => ({
    intact: false,
    error: translatePgError(error),
  }))
  client.release(!outcome.intact || client.getTransactionStatus() !== 'I')
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

async function reading<T>(
  client: pg.PoolClient,
  work: (q: Queryable) => Promise<T>,
  prepare?: () => Promise<void>,
): Promise<Outcome<T>> {
  await prepare?.()
  const lease = new Lease(client)
  const result = await settle(() => work(lease))
  await lease.close()
  return { ...result, intact: !lease.failed }
}

async function writing<T>(pool: pg.Pool, begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withClient(pool, (client) => transaction(client, begin, work))
    } catch (error) {
      const again = error instanceof DatabaseProblem && error.kind === 'serialization'
      if (!again || attempt === WRITE_ATTEMPTS) throw error
    }
  }
}

async function transaction<T>(
  client: pg.PoolClient,
  begin: string,
  work: (tx: Tx) => Promise<T>,
): Promise<Outcome<T>> {
  await client.query(begin)
  const lease = new Lease(client)
  const result = await settle(() => work(lease))
  await lease.close()
  if ('error' in result) {
    await client.query('rollback').catch(() => undefined)
    return { ...result, intact: client.getTransactionStatus() === 'I' }
  }
  const { command } = await client.query('commit')
  // PostgreSQL answers COMMIT with ROLLBACK, and no error, when a statement had failed and the work went on regardless.
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
