import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { PgBoss, type QueueResult } from 'pg-boss'
import { notifyProvider } from '../alerts/notify-provider.ts'
import type { AppContext } from '../app-context.ts'
import { exclusively } from '../ports/database/advisory-lock.ts'
import { DURABLE, KEEP_ALIVE, PATIENCE } from '../ports/database/connect.ts'
import type { GlobalTx } from '../ports/database/lease.ts'
import { openSchemaToApp } from '../ports/database/migrate.ts'
import type { Database } from '../ports/database/pool.ts'
import type { Jobs } from '../ports/jobs.ts'
import { inSpan } from '../ports/tracing.ts'
import { type FairKind, FairWorkers } from './fair-workers.ts'
import type { JobKind } from './kind.ts'
import { addTasks } from './store.ts'

/** Requests enqueue in their own transaction, as the application's role, so this schema is open to it. */
const SCHEMA = 'pgboss'
/** An advisory lock id without another use. */
const SCHEMA_LOCK = 7_260_214
/**
 * Seconds between two polls of each queue: without notifications, and with them. A retry waits for the next
 * poll.
 */
const POLL = 1
const NOTIFIED_POLL = 3
/** Seconds between two polls for jobs that failed for good, after minutes of retries. */
const DEAD_POLL = 30
const DEFAULT_RETRIES = 5
const DEFAULT_HEARTBEAT = 30
/** Milliseconds for the running work when the queue stops. */
export const STOP_MS = 12_000
/** Seconds that a statement of a job may take by default: no caller waits for it. */
const JOB_STATEMENT = 60
/** Milliseconds for a statement of the queue itself; then its connection counts as dead and is replaced. */
const QUEUE_STATEMENT = 10_000

/** Settings of the queue's own connections, passed on to pg. */
const SESSIONS: pg.PoolConfig = {
  ...KEEP_ALIVE,
  connectionTimeoutMillis: PATIENCE.connection,
  query_timeout: QUEUE_STATEMENT + PATIENCE.answer,
  statement_timeout: QUEUE_STATEMENT,
  idle_in_transaction_session_timeout: QUEUE_STATEMENT,
  onConnect: (client: pg.ClientBase) => client.query(DURABLE).then(() => undefined),
}

export interface WorkOptions {
  /** True: periodic work has run lately, so its next run is due after its interval. */
  hasWorked?: boolean | undefined
}

/** A queue without workers: enough for a process that only serves requests. */
export interface Queue extends Jobs {
  /** Runs the kinds in this process until `stop`: periodic work now, or first after its interval. */
  work(ctx: AppContext, kinds: readonly JobKind<unknown>[], options?: WorkOptions): Promise<void>
}

/** Opens the job queue in the database's own schema `pgboss`; makes the queues of all kinds. */
export async function openQueue(
  db: Database,
  kinds: readonly JobKind<unknown>[],
  report: (error: unknown, message: string) => void,
): Promise<Queue> {
  // Processes that start together on an empty database would all make the schema.
  await exclusively(db.owner, SCHEMA_LOCK, async (holder) => {
    await openSchemaToApp(holder, SCHEMA)
    await makeSchema(db.connection)
  })
  const boss = new PgBoss({
    connectionString: db.connection,
    schema: SCHEMA,
    max: 4,
    useListenNotify: true,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 30,
    application_name: 'custodia jobs',
    ...SESSIONS,
  })
  boss.on('error', (error) => report(error, 'job queue'))
  await boss.start()
  const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  for (const kind of kinds) if (!isFair(kind)) await ensureQueue(boss, existing, kind)
  const timers = new Set<NodeJS.Timeout>()
  let fair: FairWorkers | undefined
  let stopped: Promise<void> | undefined

  return {
    async send(tx, kind, ...inputs) {
      if (kind.fair) {
        const { client, place, is_swept } = kind.fair
        const now = Math.floor(Date.now() / 1000)
        const tasks = inputs.map((input) => {
          const key = kind.key?.(input) ?? randomUUID()
          return { kind: kind.name, client_id: client(input), key, input, ...place(input), now }
        })
        return addTasks(tx, tasks, is_swept)
      }
      for (const input of inputs) {
        const singletonKey = kind.key?.(input)
        await boss.send(kind.name, input as object, {
          db: within(tx),
          ...(singletonKey ? { singletonKey } : {}),
        })
      }
    },
    async work(ctx, all, { hasWorked = false } = {}) {
      const patient = { ...ctx, db: ctx.db.within(JOB_STATEMENT) }
      const parts = { ctx: patient, db: ctx.db }
      fair = new FairWorkers(parts, all.filter(isFair), ({ retries = DEFAULT_RETRIES }) => retries)
      for (const kind of all) {
        if (isFair(kind)) continue
        await startWorker(boss, patient, kind)
        if (kind.every !== undefined) timers.add(repeat(boss, kind, report, hasWorked))
      }
    },
    stop() {
      for (const timer of timers) clearInterval(timer)
      stopped ??= Promise.all([
        fair?.stop(STOP_MS),
        boss.stop({ graceful: true, timeout: STOP_MS, close: true }),
      ]).then(() => undefined)
      return stopped
    },
  }
}

/** Migrates the queue's tables without the usual timeouts, because a long history takes time. */
async function makeSchema(connectionString: string): Promise<void> {
  const boss = new PgBoss({
    connectionString,
    schema: SCHEMA,
    max: 1,
    supervise: false,
    schedule: false,
    application_name: 'custodia jobs migrate',
  })
  // Any failure makes `start` fail.
  boss.on('error', () => undefined)
  await boss.start()
  await boss.stop({ graceful: false, close: true })
}

const isFair = (kind: JobKind<unknown>): kind is FairKind => kind.fair !== undefined

const deadQueue = (name: string) => `${name}.dead`

/** Creates or updates the queue of a kind and its dead letter queue; no statement when unchanged. */
async function ensureQueue(
  boss: PgBoss,
  existing: ReadonlyMap<string, QueueResult>,
  kind: JobKind<unknown>,
): Promise<void> {
  const deadLetter = deadQueue(kind.name)
  const settings = {
    retryLimit: kind.retries ?? DEFAULT_RETRIES,
    retryDelay: 2,
    retryBackoff: true,
    retryDelayMax: 300,
    heartbeatSeconds: Math.max(10, kind.heartbeat ?? DEFAULT_HEARTBEAT),
    expireInSeconds: 6 * 3600,
    notify: true,
  }
  const found = existing.get(kind.name)
  if (!existing.has(deadLetter)) await boss.createQueue(deadLetter)
  if (!found) {
    // Periodic work: one run is enough for all processes.
    const policy = kind.every === undefined && !kind.key ? 'standard' : 'exclusive'
    await boss.createQueue(kind.name, { ...settings, deadLetter, policy })
  } else if (!isDeepStrictEqual({ ...found, ...settings }, { ...found })) {
    await boss.updateQueue(kind.name, settings)
  }
}

const within = (tx: GlobalTx) => ({
  executeSql: (text: string, values?: unknown[]) => tx.query<Record<string, unknown>>(text, values ?? []),
})

async function startWorker(boss: PgBoss, ctx: AppContext, kind: JobKind<unknown>): Promise<void> {
  for (let i = 0; i < (kind.concurrency ?? 1); i++) await startOne(boss, ctx, kind)
  await boss.work(deadQueue(kind.name), { pollingIntervalSeconds: DEAD_POLL }, async ([job]) => {
    if (!job) return
    ctx.log.error({ job: kind.name, job_id: job.id }, 'a job failed for good')
    await kind.dead?.(ctx, kind.input.parse(job.data))
    await notifyProvider(ctx, {
      alert_key: `job ${kind.name}`,
      text: 'job_failed',
      values: { job: kind.name },
      alert_severity: 'High',
    })
  })
}

/**
 * Starts one worker that fetches the next job at once; by default the queue waits for its poll after every
 * job.
 */
async function startOne(boss: PgBoss, ctx: AppContext, kind: JobKind<unknown>): Promise<void> {
  const options = { pollingIntervalSeconds: POLL, notifyPollingIntervalSeconds: NOTIFIED_POLL }
  const id: string = await boss.work(kind.name, options, async ([job]) => {
    if (!job) return
    const input = kind.input.parse(job.data)
    try {
      await inSpan('job', `job ${kind.name}`, () => kind.run(ctx, input, job.signal))
    } catch (error) {
      ctx.log.warn({ err: error, job: kind.name, job_id: job.id }, 'a job failed and will be tried again')
      throw error
    } finally {
      boss.notifyWorker(id)
    }
  })
}

/** Queues the work now, unless it has run lately, and every `every` seconds; the queue's policy keeps one waiting run at most. */
function repeat(
  boss: PgBoss,
  kind: JobKind<unknown>,
  report: (error: unknown, message: string) => void,
  hasWorked: boolean,
): NodeJS.Timeout {
  const ask = () => {
    boss.send(kind.name, {}).catch((error: unknown) => report(error, kind.name))
  }
  if (!hasWorked) ask()
  return setInterval(ask, (kind.every ?? 60) * 1000)
}
