import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import pg from 'pg'
import { listClients } from '../clients/store.ts'
import { finishDestructions, type Replay, replayLedger } from '../destruction/store.ts'
import type { AppContext } from '../app-context.ts'
import { startEmbedded } from '../ports/database/embedded.ts'
import { migrate } from '../ports/database/migrate.ts'
import { openDatabase } from '../ports/database/pool.ts'
import { localFileKeys } from '../ports/keys/local-file.ts'
import type { ObjectStore } from '../ports/objects/port.ts'
import { backupStore } from './backup.ts'
import { restoreObjects } from './copy-objects.ts'
import { copyVerified } from './copy-file.ts'
import { restoreSlots } from './copy-slots.ts'
import { restoreDump } from './dump.ts'
import { eachOf } from './each-of.ts'
import { type Manifest, OBJECT_LIST, readManifest } from './manifest.ts'
import { type LogSource, recover } from './recover.ts'

export interface RestoreSource extends Omit<LogSource, 'archive'> {
  /** Folder of one backup. */
  backup: string
  /** The keys folder; by default `keys` in the backup's parent folder. */
  keys?: string | undefined
  /** Leaves the database alone: other tools have restored it. */
  withoutDatabase?: boolean
}

export interface Restored {
  manifest: Manifest
  /** Objects that were put; the others were there. */
  objects: number
  /** What the ledger of destructions says that this backup does not know; undefined: there is no ledger. */
  replay: Replay | undefined
  /** End of the last replayed transaction; undefined: none. */
  last: Date | undefined
}

/**
 * Restores an installation into the data folder of `config`, with the log of WAL_ARCHIVE, or into the empty database
 * of DATABASE_URL. The folder may hold keys and objects, which are completed, but no database. It accepts only files
 * that match the manifest; a failed restore leaves no `postgres` folder.
 */
export async function restore(
  config: AppContext['config'],
  source: RestoreSource,
  objects: ObjectStore,
): Promise<Restored> {
  const backup = resolve(source.backup)
  const manifest = await readManifest(backup)
  await mkdir(config.dataDir, { recursive: true, mode: 0o711 })
  const keys = resolve(source.keys ?? join(dirname(backup), 'keys', manifest.name))
  await mkdir(join(config.dataDir, 'keys'), { recursive: true, mode: 0o700 })
  // First, because a key pair whose private key was destroyed since the backup keeps its public key only.
  await restoreSlots(dirname(keys), join(config.dataDir, 'keys'))
  await restoreKeys(config, manifest, keys)
  const put = await putObjects(backup, manifest, objects)
  const last = source.withoutDatabase ? undefined : await restoreDatabase(config, manifest, backup, source)
  return { manifest, objects: put, last, replay: await destroyAgain(config, objects) }
}

/** Destroys again, with keys and objects, what was destroyed after the backup, before any user can read it. */
async function destroyAgain(config: AppContext['config'], objects: ObjectStore): Promise<Replay | undefined> {
  const keys = localFileKeys({ folder: join(config.dataDir, 'keys') })
  if ((await keys.ledger.sizes()).size === 0) return undefined
  const resting =
    config.database.url === undefined
      ? await startEmbedded({
          dataDir: join(config.dataDir, 'postgres'),
          archive: config.walArchive,
          log: () => undefined,
        })
      : undefined
  try {
    const connection = resting?.url ?? config.database.url ?? ''
    await migrate({ connection })
    const db = await openDatabase({ connection, appName: 'custodia restore' })
    try {
      const replay = await replayLedger({ db, keys, log: { warn: () => undefined } })
      const { signal } = new AbortController()
      for (const client of await listClients(db))
        await finishDestructions({ db, keys, objects }, client, signal)
      return replay
    } finally {
      await db.close()
    }
  } finally {
    await resting?.stop()
  }
}

async function restoreKeys(config: AppContext['config'], { keys }: Manifest, from: string): Promise<void> {
  const folder = join(config.dataDir, 'keys')
  for (const file of keys) {
    const path = join(folder, file.path)
    if (!existsSync(path)) await copyVerified(join(from, file.path), path, file)
  }
}

async function putObjects(backup: string, { objects }: Manifest, store: ObjectStore): Promise<number> {
  const checked = join(backup, `${OBJECT_LIST}.checked`)
  // The list itself is believed only after its digest was compared.
  await rm(checked, { force: true })
  try {
    await copyVerified(join(backup, OBJECT_LIST), checked, objects.list)
    return await restoreObjects(checked, backupStore(dirname(backup)), store)
  } finally {
    await rm(checked, { force: true })
  }
}

async function restoreDatabase(
  config: AppContext['config'],
  { database }: Manifest,
  backup: string,
  source: RestoreSource,
): Promise<Date | undefined> {
  if (database === null)
    throw new Error(
      'This backup has no database: restore that with its own tools, then add --without-database.',
    )
  const from = join(backup, 'database')
  if (database.kind === 'dump') {
    if (config.database.url === undefined)
      throw new Error('This backup is a dump: set DATABASE_URL to an empty database.')
    await assertEmpty(config.database.url)
    await migrate({ connection: config.database.url, rolesOnly: true })
    await restoreDump(config.database.url, from)
    return undefined
  }
  if (config.database.url !== undefined)
    throw new Error('This backup is of the embedded database: restore it without DATABASE_URL.')
  const dataDir = join(config.dataDir, 'postgres')
  if (existsSync(dataDir)) throw new Error(`${dataDir} exists: move the broken database away first.`)
  const draft = `${dataDir}.restoring`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { mode: 0o700 })
  await eachOf(database.files, (file) => copyVerified(join(from, file.path), join(draft, file.path), file))
  const folders = (await readdir(from, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  )
  for (const { parentPath, name } of folders)
    await mkdir(join(draft, parentPath.slice(from.length), name), { recursive: true, mode: 0o700 })
  const last = await recover(draft, database, { ...source, archive: config.walArchive })
  // These files of the start belong to the draft's name.
  for (const ending of ['.lock', '.hba.conf', '.ident.conf']) await rm(draft + ending, { force: true })
  await rename(draft, dataDir)
  await chmod(dataDir, 0o700)
  return last
}

async function assertEmpty(connection: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rowCount } = await client.query(
      `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' limit 1`,
    )
    if (rowCount) throw new Error('The database of DATABASE_URL is not empty.')
  } finally {
    await client.end()
  }
}
