import type pg from 'pg'
import { checkOut, openPool, PATIENCE, replaceIdle, START_PATIENCE, waitForDatabase } from './connect.ts'
import { FairQueue } from './fair-queue.ts'
import {
  type GlobalQueryable,
  type GlobalTx,
  Lease,
  noteUse,
  type Outcome,
  type Queryable,
  reading,
  readingUntil,
  TenantLease,
  transaction,
  type Tx,
} from './lease.ts'
import { type Locks, type NotificationHandler, openListener, openLocks } from './listen.ts'
import { DatabaseProblem, isSilence, translatePgError } from './problem.ts'
import { assertReplicaOf, readLag, replicaReads, systemIdentifier } from './replica.ts'
import { statisticsKeeper } from './statistics.ts'

/** The role of requests: owns nothing, cannot bypass row-level security. `migrate` makes it. */
export const APP_ROLE = 'custodia_app'

/**
 * The role of the provider's staff for reads across clients; it sees only the tables for running the service.
 */
export const STAFF_ROLE = 'custodia_staff'

/** The role of callers who are limited to legal matters: the policies `matters` show it only their recordings. */
export const MATTERS_ROLE = 'custodia_matters'

const WRITE_ATTEMPTS = 4
const OWNER_CONNECTIONS = 4

const STAFF_CONNECTIONS = 2
/** Milliseconds that a statement of the owner may take: no caller waits for it. */
const OWNER_STATEMENT = 15 * 60_000

/** Connection timeout of the replica: the primary is available. */
const REPLICA_CONNECTION = 1_000

export interface DatabaseOptions {
  connection: string
  /** Shown in pg_stat_activity. */
  appName: string
  /** Most connections for tenants' work; half as many again are for `global`, and 4 for the owner. */
  max?: number
  /** Connection string, as the same user, of a streaming replica that may answer `readFromReplica`. */
  replica?: string | undefined
  /** Most milliseconds of replication lag for other users' writes; default 5,000. */
  mostStale?: number
  /** Called when silent connections were replaced. */
  report?: (message: string) => void
}

export interface PoolFigures {
  pool: string
  open: number
  idle: number
  /** Callers that wait for a connection. */
  waiting: number
  max: number
}

/**
 * Every tenant table has `client_id` and a policy that shows only rows of the tenant in `custodia.client_id`.
 * Only this port sets it, so a forgotten condition in a query cannot show another client's rows.
 */
export interface Database {
  /**
   * Reads as one tenant: no transaction, so every statement sees the newest committed rows. When `signal` aborts, the
   * running statement is cancelled, and the read fails with the kind `abandoned`.
   */
  read<T>(clientId: number, work: (q: Queryable) => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * Reads as one tenant, perhaps from a streaming replica: it has all writes of the client's own people
   * (`countWrite`); others may be 5 s late. `work` may run twice. Not for permissions, sessions, audit, or
   * values that a write uses.
   */
  readFromReplica<T>(clientId: number, work: (q: Queryable) => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * One transaction as one tenant, rolled back when `work` throws. A serialization failure or deadlock runs `work`
   * again, up to 3 times: it must have no effect outside the transaction. The client then counts as `written`, unless
   * the sealed log itself writes.
   */
  write<T>(clientId: number, work: (tx: Tx) => Promise<T>, isSealing?: boolean): Promise<T>
  /** Clients that this process has written for since the sealed log took their entries. The sealed log empties it. */
  readonly written: Set<number>
  /** Reads tables that belong to no tenant (clients, sessions, tokens); tenant tables look empty. */
  global<T>(work: (q: GlobalQueryable) => Promise<T>): Promise<T>
  /**
   * Reads across clients with the permissions of the provider's staff: licences, alerts, support access,
   * carriers; no payload and no activity.
   */
  acrossClients<T>(work: (q: GlobalQueryable) => Promise<T>): Promise<T>
  /** As `write`, without a tenant. */
  globalWrite<T>(work: (tx: GlobalTx) => Promise<T>): Promise<T>
  /**
   * The same database with a statement timeout of that many seconds instead of `PATIENCE.statement`, for work
   * without a waiting caller.
   */
  within(seconds: number): Database
  /**
   * The same database for a caller who is limited to legal matters: of recordings and their records, `read`,
   * `readFromReplica` and `write` see only those that the matters hold.
   */
  limitedTo(matters: readonly string[]): Database
  /** Resolves, once listening, to a function that ends it. */
  listen(channel: string, handler: NotificationHandler): Promise<() => Promise<void>>
  /** Runs work of any duration that only one process does at a time. */
  readonly locked: Locks['hold']
  /** The owner's connections, for migrations, the job queue's own tables, statistics and cancelling statements only. */
  readonly owner: pg.Pool
  readonly connection: string
  figures(): PoolFigures[]
  /** Replication lag in seconds; undefined without a replica. */
  replicaLag(): Promise<number | undefined>
  close(): Promise<void>
}

/** Opens the pools and waits up to 30 s for a database that is still starting. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { connection, appName, report = () => undefined } = options
  const pools = await openPools(options)
  const parts: Parts = {
    connection,
    pools,
    mostStale: options.mostStale,
    listener: openListener(connection, appName),
    locks: openLocks(connection, appName),
    written: new Set(),
    countTransaction: statisticsKeeper(pools.owner),
    /** Replaces the other idle connections when one fell silent. */
    onSilence() {
      const replaced = Object.values(pools).reduce((sum, pool) => sum + replaceIdle(pool), 0)
      report(`a connection to the database fell silent; it and ${replaced} idle ones are replaced`)
    },
  }
  return getDatabase(parts, PATIENCE.statement)
}

type Pools = Record<'tenants' | 'global' | 'staff' | 'owner', pg.Pool> & {
  replica?: pg.Pool
  /** Cancels statements of the replica. */
  replicaOwner?: pg.Pool
}

async function openPools(options: DatabaseOptions): Promise<Pools> {
  const { connection, appName, max = 10, replica } = options
  const owner = openPool({
    connection,
    appName: `${appName} owner`,
    max: OWNER_CONNECTIONS,
    statement: OWNER_STATEMENT,
  })
  let replicas: Pick<Pools, 'replica' | 'replicaOwner'> = {}
  try {
    await waitForDatabase(owner, START_PATIENCE)
    if (replica !== undefined) {
      const open = (name: string, connections: number, setup: string) =>
        openPool({
          connection: replica,
          appName: `${appName} ${name}`,
          max: connections,
          statement: PATIENCE.statement,
          wait: REPLICA_CONNECTION,
          setup,
        })
      const check = assertReplicaOf(await systemIdentifier(owner))
      replicas = {
        replica: open('replica', max, `${check}; set role ${APP_ROLE}`),
        replicaOwner: open('replica owner', 1, check),
      }
    }
  } catch (error) {
    await owner.end()
    throw error
  }
  const poolAs = (role: string, name: string, connections: number) =>
    openPool({
      connection,
      appName: `${appName}${name}`,
      max: connections,
      statement: PATIENCE.statement,
      setup: `set role ${role}`,
    })
  return {
    tenants: poolAs(APP_ROLE, '', max),
    // Separate connections never have a tenant set, so they need no reset.
    global: poolAs(APP_ROLE, ' global', Math.ceil(max / 2)),
    staff: poolAs(STAFF_ROLE, ' staff', STAFF_CONNECTIONS),
    owner,
    ...replicas,
  }
}

interface Parts {
  connection: string
  pools: Pools
  mostStale: number | undefined
  listener: ReturnType<typeof openListener>
  locks: Locks
  written: Set<number>
  countTransaction: () => void
  onSilence: () => void
}

/** The statements that begin a transaction as a tenant, perhaps limited to legal matters. */
function beginAs(clientId: number, matters: readonly string[] | undefined): string {
  assertClientId(clientId)
  const begin = `begin; set local custodia.client_id = '${clientId}'`
  if (!matters) return begin
  if (matters.length === 0 || !matters.every((each) => /^[0-9A-Za-z]{1,40}$/.test(each)))
    throw new RangeError('not ids of legal matters')
  return `${begin}; set local custodia.matters = '${matters.join()}'; set local role ${MATTERS_ROLE}`
}

/** The database with a statement timeout of `limit` milliseconds, perhaps limited to legal matters. */
function getDatabase(parts: Parts, limit: number, matters?: readonly string[]): Database {
  const { connection, pools, listener, locks, written } = parts
  const { owner, replica, replicaOwner = owner } = pools
  const inPool = <T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<Outcome<T>>) =>
    withClient(pool, use, parts.onSilence)
  const inTurn = <T>(
    pool: pg.Pool,
    clientId: number,
    use: (client: pg.PoolClient) => Promise<Outcome<T>>,
  ): Promise<T> => getFairQueue(pool).run(clientId, PATIENCE.connection, () => inPool(pool, use))
  const readAt =
    (pool: pg.Pool, canceller: pg.Pool): Database['read'] =>
    async (clientId, work, signal) => {
      assertClientId(clientId)
      return inTurn(pool, clientId, async (client) => {
        if (matters)
          return transaction(
            client,
            beginAs(clientId, matters),
            new TenantLease(client, limit, clientId),
            work,
          )
        await setTenant(client, clientId)
        const lease = new TenantLease(client, limit, clientId)
        return signal ? readingUntil(signal, canceller, client, lease, work) : reading(client, lease, work)
      })
    }
  const read = readAt(pools.tenants, owner)
  return {
    owner,
    connection,
    read,
    readFromReplica: replica ? replicaReads(read, readAt(replica, replicaOwner), parts.mostStale) : read,
    written,
    async write(clientId, work, isSealing = false) {
      const begin = beginAs(clientId, matters)
      const result = await untilSerialized(() =>
        inTurn(pools.tenants, clientId, (client) =>
          transaction(client, begin, new TenantLease(client, limit, clientId), work),
        ),
      )
      if (!isSealing) written.add(clientId)
      parts.countTransaction()
      return result
    },
    global: (work) => inPool(pools.global, (client) => reading(client, new Lease(client, limit), work)),
    acrossClients: (work) => inPool(pools.staff, (client) => reading(client, new Lease(client, limit), work)),
    globalWrite: (work) =>
      untilSerialized(() =>
        inPool(pools.global, (client) => transaction(client, 'begin', new Lease(client, limit), work)),
      ),
    within: (seconds) => getDatabase(parts, seconds * 1000, matters),
    limitedTo: (only) => getDatabase(parts, limit, only),
    listen: (channel, handler) => listener.listen(channel, handler),
    locked: locks.hold,
    figures: () => Object.entries(pools).map(([pool, of]) => poolFigures(pool, of)),
    replicaLag: async () => replica && (await readLag(replica)),
    async close() {
      await Promise.all([listener.close(), locks.close(), ...Object.values(pools).map((pool) => pool.end())])
    },
  }
}

const poolFigures = (name: string, pool: pg.Pool): PoolFigures => ({
  pool: name,
  open: pool.totalCount,
  idle: pool.idleCount,
  waiting: pool.waitingCount + (fairQueues.get(pool)?.waiting ?? 0),
  max: pool.options.max ?? 0,
})

/** The queues of the pools that tenants share. */
const fairQueues = new WeakMap<pg.Pool, FairQueue>()

function getFairQueue(pool: pg.Pool): FairQueue {
  const known = fairQueues.get(pool) ?? new FairQueue(pool.options.max ?? 0)
  fairQueues.set(pool, known)
  return known
}

const tenantByClient = new WeakMap<pg.PoolClient, number>()

async function setTenant(client: pg.PoolClient, clientId: number): Promise<void> {
  if (tenantByClient.get(client) === clientId) return
  tenantByClient.delete(client)
  await client.query({
    name: 'set_tenant',
    text: `select set_config('custodia.client_id', $1, false)`,
    values: [String(clientId)],
  })
  tenantByClient.set(client, clientId)
}

/** Also validates the number, which becomes part of the statement. */
function assertClientId(clientId: number): void {
  if (!Number.isInteger(clientId) || clientId < 1 || clientId > 2 ** 31 - 1)
    throw new RangeError('not a client_id')
}

async function withClient<T>(
  pool: pg.Pool,
  use: (client: pg.PoolClient) => Promise<Outcome<T>>,
  onSilence: () => void,
): Promise<T> {
  let client: pg.PoolClient
  try {
    client = await checkOut(pool)
  } catch (error) {
    throw translatePgError(error)
  }
  const outcome = await use(client).catch((error: unknown): Outcome<T> => ({
    intact: false,
    error: translatePgError(error),
  }))
  noteUse(client)
  client.release(!outcome.intact || client.getTransactionStatus() !== 'I')
  if (!('error' in outcome)) return outcome.value
  if (isSilence(outcome.error)) onSilence()
  throw outcome.error
}

/** Repeats a transaction after a conflict. */
async function untilSerialized<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact()
    } catch (error) {
      const again = error instanceof DatabaseProblem && error.kind === 'serialization'
      if (!again || attempt === WRITE_ATTEMPTS) throw error
    }
  }
}
