import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import type { AppContext } from './app-context.ts'
import { hasKeysOfClients } from './clients/store.ts'
import type { Config } from './config.ts'
import { openObjects } from './open-objects.ts'
import { assertDurable } from './ports/database/durability.ts'
import { runningEmbedded, startEmbedded } from './ports/database/embedded.ts'
import { isMigrated, migrate } from './ports/database/migrate.ts'
import { openDatabase } from './ports/database/pool.ts'
import { localFileKeys } from './ports/keys/local-file.ts'
import { assertWritable } from './start-checks.ts'

/** The parts that hold the archive, without anything that works on it. */
export interface Archive extends Pick<AppContext, 'config' | 'db' | 'objects' | 'keys' | 'log' | 'now'> {
  close(): Promise<void>
}

/**
 * Opens an archive read-only, next to a running server or without one: no migration, no new key, no jobs. It uses a
 * running embedded database, else starts it until `close`. Throws if the configuration has no archive, unless it may
 * be new: then an empty database is migrated and an empty keys folder gets its first key.
 */
export async function openArchive(
  config: Config,
  { mayBeNew = false }: { mayBeNew?: boolean } = {},
): Promise<Archive> {
  // The caller reports its findings on standard output.
  const log = pino({ level: 'silent' })
  const closers: (() => Promise<void>)[] = []
  try {
    const connection = config.database.url ?? (await getEmbedded(config, closers, mayBeNew))
    if (mayBeNew && !(await isMigrated(connection))) {
      await assertWritable(config.dataDir)
      await assertDurable(connection, config.database.isUnsafe, () => undefined)
      await migrate({ connection })
    }
    const db = await openDatabase({ connection, appName: 'custodia archive', max: 4 })
    closers.push(() => db.close())
    const now = () => Math.floor(Date.now() / 1000)
    return {
      config,
      db,
      // No upload addresses are issued here.
      objects: await openObjects(config, Buffer.alloc(0), now),
      keys: localFileKeys({ folder: join(config.dataDir, 'keys'), isInUse: () => hasKeysOfClients(db) }),
      log,
      now,
      close: () => closeAll(closers),
    }
  } catch (error) {
    await closeAll(closers)
    throw error
  }
}

async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  for (const closer of closers.splice(0).reverse()) await closer()
}

async function getEmbedded(
  config: Config,
  closers: (() => Promise<void>)[],
  mayBeNew: boolean,
): Promise<string> {
  const dataDir = join(config.dataDir, 'postgres')
  const running = runningEmbedded(dataDir)
  if (running !== undefined) return running
  if (!mayBeNew && !existsSync(join(dataDir, 'PG_VERSION')))
    throw new Error(`${config.dataDir} holds no archive: set CUSTODIA_DATA, or DATABASE_URL`)
  const embedded = await startEmbedded({ dataDir, archive: config.walArchive, log: () => undefined })
  closers.push(() => embedded.stop())
  return embedded.url
}
