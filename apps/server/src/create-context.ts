import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { AppContext } from './app-context.ts'
import { hasKeysOfClients } from './clients/store.ts'
import { type Config, withPort } from './config.ts'
import { AuditLog } from './http/audit.ts'
import { makeCursors } from './http/cursor.ts'
import { JOB_KINDS } from './job-kinds.ts'
import { openQueue, type Queue } from './jobs/queue.ts'
import { objectsFolder, openObjects } from './open-objects.ts'
import { assertDurable } from './ports/database/durability.ts'
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from './ports/database/embedded.ts'
import { migrate } from './ports/database/migrate.ts'
import { type Database, openDatabase } from './ports/database/pool.ts'
import { translateQueueError } from './ports/database/problem.ts'
import { type DiskSpace, diskSpace } from './ports/disk-space.ts'
import { getEgress } from './ports/egress/guard.ts'
import { localFileKeys } from './ports/keys/local-file.ts'
import { detectMedia } from './ports/media/index.ts'
import type { ObjectStore } from './ports/objects/port.ts'
import { fcmPush } from './ports/push/fcm.ts'
import { clamdScanner } from './ports/scanner/clamd.ts'
import { noScanner } from './ports/scanner/port.ts'
import { assertWritable, bindSocket } from './start-checks.ts'

/** Milliseconds before the first restart of PostgreSQL, and at most before further ones. */
const PAUSE = { first: 250, most: 10_000 }
/** Attempts in a row, about a minute, before the process gives up. */
const ATTEMPTS = 10
/** Milliseconds after which a run of PostgreSQL resets the count of attempts. */
const SETTLED = 60_000

interface KeepOptions extends Omit<EmbeddedOptions, 'onExit'> {
  /** Called on each end and each attempt. */
  report: (message: string) => void
  /** Called when PostgreSQL cannot be kept running: the server should log it and exit. */
  giveUp: (reason: string) => void
}

/**
 * Restarts the embedded PostgreSQL when it ends by itself, such as after a crash or an out-of-memory kill.
 * Requests fail meanwhile, but the server stays and its address is unchanged.
 */
async function keepEmbedded(options: KeepOptions): Promise<Pick<EmbeddedDatabase, 'url' | 'stop'>> {
  const { report, giveUp, ...embedded } = options
  let isStopping = false
  let attempts = 0
  let startedAt = Date.now()
  let restarting: Promise<void> = Promise.resolve()
  const start = () => startEmbedded({ ...embedded, onExit: (reason) => (restarting = restart(reason)) })
  let current = await start()

  async function restart(reason: string): Promise<void> {
    if (isStopping) return
    report(`the embedded PostgreSQL ended (${reason}) and is started again`)
    if (Date.now() - startedAt > SETTLED) attempts = 0
    while (!isStopping) {
      if (attempts === ATTEMPTS) return giveUp(`the embedded PostgreSQL ended ${ATTEMPTS} times: ${reason}`)
      await pause(Math.min(PAUSE.first * 2 ** attempts++, PAUSE.most))
      try {
        if (isStopping) return
        startedAt = Date.now()
        current = await start()
        report('the embedded PostgreSQL runs again')
        return
      } catch (error) {
        report(`the embedded PostgreSQL did not start: ${String(error)}`)
      }
    }
  }

  return {
    url: current.url,
    async stop() {
      isStopping = true
      await restarting
      await current.stop()
    },
  }
}

export interface CreatedContext {
  ctx: AppContext
  queue: Queue
  /** Ends everything that was opened, in the opposite order. */
  close(): Promise<void>
}

/** Opens every configured service; if one fails, it closes those opened before. */
export async function createContext(
  settings: Config,
  log: FastifyBaseLogger,
  say: (step: string) => void,
): Promise<CreatedContext> {
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    await assertWritable(settings.dataDir)
    // Before anything is started or migrated for a server that cannot listen.
    const socket = settings.services.includes('api') ? await bindSocket(settings) : undefined
    closers.push(async () => socket?.[Symbol.dispose]())
    const config = socket ? withPort(settings, socket.address().port) : settings
    const db = await openTheDatabase(config, log, say, closers)
    const now = epochSeconds
    const keys = localFileKeys({ folder: join(config.dataDir, 'keys'), isInUse: () => hasKeysOfClients(db) })
    await keys.health()
    const space = await openTheSpace(config)
    const objects = await openObjects(config, await keys.namedSecret('uploads'), now, space)
    void reportStoreFaults(objects, log)
    const queue = await openQueue(db, JOB_KINDS, (error, message) =>
      log.error({ err: translateQueueError(error) }, message),
    )
    closers.push(() => queue.stop())
    const ctx: AppContext = {
      config,
      socket,
      db,
      objects,
      keys,
      space,
      scanner: openTheScanner(config),
      push: config.fcmServiceAccount ? await fcmPush({ file: config.fcmServiceAccount, now }) : undefined,
      mail: config.smtp && (await import('./ports/mail/smtp.ts')).smtpMailer(config.smtp),
      media: await detectMedia(config.media),
      egress: getEgress(config),
      jobs: queue,
      audit: new AuditLog(db),
      cursors: makeCursors(await keys.namedSecret('cursors')),
      log,
      now,
    }
    return { ctx, queue, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Logs settings of the bucket that make a promise untrue; the start does not wait for an answer. */
async function reportStoreFaults({ settingFaults }: ObjectStore, log: FastifyBaseLogger): Promise<void> {
  try {
    for (const fault of (await settingFaults?.()) ?? [])
      log.warn({ fault }, 'a setting of the bucket makes a promise untrue')
  } catch (error) {
    log.warn({ err: error }, 'the settings of the bucket could not be read')
  }
}

async function openTheDatabase(
  config: Config,
  log: FastifyBaseLogger,
  say: (step: string) => void,
  closers: (() => Promise<void>)[],
): Promise<Database> {
  let connection = config.database.url
  if (connection === undefined) {
    say('Starting the embedded PostgreSQL …')
    const embedded = await keepEmbedded({
      dataDir: join(config.dataDir, 'postgres'),
      log: (message) => log.debug(message),
      archive: config.walArchive,
      report: (message) => log.error(message),
      giveUp: (reason) => {
        log.fatal(reason)
        process.exitCode = 1
        process.kill(process.pid, 'SIGTERM')
      },
    })
    closers.push(() => embedded.stop())
    connection = embedded.url
  } else {
    await assertDurable(connection, config.database.isUnsafe, (message) => log.warn(message))
  }
  const applied = await migrate({ connection, log: (message) => log.info(message) })
  if (applied.length > 0) say(`Migrated the database (${applied.length}).`)
  const db = await openDatabase({
    connection,
    appName: 'custodia',
    max: config.database.pool,
    replica: config.database.replica,
    report: (message) => log.warn(message),
  })
  closers.push(() => db.close())
  return db
}

const epochSeconds = () => Math.floor(Date.now() / 1000)

/** Watches what this installation writes to itself; outside services watch their own disks. */
async function openTheSpace(config: Config): Promise<DiskSpace> {
  const folders = [
    ...(config.s3 ? [] : [objectsFolder(config.dataDir)]),
    ...(config.database.url === undefined ? [join(config.dataDir, 'postgres')] : []),
  ]
  if (!config.s3) await mkdir(objectsFolder(config.dataDir), { recursive: true, mode: 0o700 })
  return diskSpace(folders, config.diskReserve)
}

function openTheScanner(config: Config) {
  if (!config.clamd) return noScanner
  return 'socket' in config.clamd ? clamdScanner({ path: config.clamd.socket }) : clamdScanner(config.clamd)
}
