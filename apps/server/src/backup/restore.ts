import { existsSync } from 'node:fs'
import { chmod, chown, copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { finishDestructions, type Replay, replayLedger } from '../destruction/store.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { AuditLog } from '../http/audit.ts'
import { OPERATOR } from '../http/context.ts'
import { fetchCommand, startEmbedded } from '../ports/database/embedded.ts'
import { migrate } from '../ports/database/migrate.ts'
import { openDatabase } from '../ports/database/pool.ts'
import { postgresUser } from '../ports/database/run-as.ts'
import { localFileKeys } from '../ports/keys/local-file.ts'
import type { ObjectStore } from '../ports/objects/port.ts'
import { pauseAfterRestore } from '../retention/store.ts'
import { removeHeld } from '../sealed-log/held-checkpoint.ts'
import { sealBatch } from '../sealed-log/seal.ts'
import { backupStore, restoreObjects } from './backup.ts'
import {
  type BaseBackup,
  forEachAtOnce,
  type Manifest,
  OBJECT_LIST,
  readManifest,
  SEGMENT,
} from './base-backup.ts'
import { restoreSlots } from './copy-slots.ts'
import { copyVerified, restoreDump } from './dump.ts'

/** Where log may lie that is newer than the backup. */
export interface LogSource {
  /** The folder that was WAL_ARCHIVE. */
  archive?: string | undefined
  /** `pg_wal` of the broken data folder, when its disk can still be read. */
  wal?: string | undefined
  /** Epoch seconds up to which the log is replayed; all of it when left out. */
  until?: number | undefined
  /** Which timeline is followed: the latest when left out, `current` for that of the backup, or a number. */
  timeline?: string | undefined
}

/** Looks at entries that wait for a running transaction of the database server, and milliseconds between two. */
const [LOOKS, LOOK_MS] = [50, 100]

const EMPTY = [
  'pg_wal/archive_status',
  'pg_wal/summaries',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_dynshmem',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_tblspc',
]

/**
 * Makes a copied data folder consistent: PostgreSQL replays the log of the backup, the archive and the broken folder,
 * to its end or to the requested time. The cluster stays shut down, on its own timeline, which the archive has.
 * Resolves to the time of the last replayed transaction. Throws when the log ends before the requested time; the
 * folder is then unusable.
 */
export async function recover(
  dataDir: string,
  backup: BaseBackup,
  { archive, wal, until, timeline = 'latest' }: LogSource,
): Promise<Date | undefined> {
  for (const folder of EMPTY) await mkdir(join(dataDir, folder), { recursive: true, mode: 0o700 })
  if (wal !== undefined) await copySurviving(wal, join(dataDir, 'pg_wal'), backup)
  await writeFile(join(dataDir, 'recovery.signal'), '', { mode: 0o600 })
  await giveTo(dataDir)
  const server = await startEmbedded({
    dataDir,
    archive,
    log: () => undefined,
    settings: {
      // A standby would be called ready before it has replayed everything.
      hot_standby: 'off',
      restore_command: archive === undefined ? 'false' : fetchCommand(archive),
      recovery_target_timeline: timeline,
      recovery_target_action: 'promote',
      // An offset: abbreviations of zones, which Z counts as, are not known yet when this setting is read.
      ...(until === undefined
        ? {}
        : { recovery_target_time: new Date(until * 1000).toISOString().replace('Z', '+00:00') }),
    },
  })
  try {
    return await lastReplayed(server.url)
  } finally {
    await server.stop()
  }
}

async function lastReplayed(connection: string): Promise<Date | undefined> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ at: Date | null }>('select pg_last_xact_replay_timestamp() as at')
    return rows[0]?.at ?? undefined
  } finally {
    await client.end()
  }
}

/** Copies what the archive may lack: the newest log of the broken folder. */
async function copySurviving(from: string, to: string, { first_segment }: BaseBackup): Promise<void> {
  for (const name of await readdir(from))
    if (name.endsWith('.history') || (SEGMENT.test(name) && name >= first_segment))
      await copyFile(join(from, name), join(to, name))
}

/** Changes the owner of a folder that root has written to the user that runs PostgreSQL. */
async function giveTo(folder: string): Promise<void> {
  const { uid, gid, steps_down } = postgresUser()
  if (!steps_down) return
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chown(join(entry.parentPath, entry.name), uid, gid)
  await chown(folder, uid, gid)
}

interface RestoreSource extends Omit<LogSource, 'archive'> {
  backup: string
  /** The keys folder; by default `keys` in the backup's parent folder. */
  keys?: string | undefined
  /** Leaves the database alone: other tools have restored it. */
  withoutDatabase?: boolean
}

export interface RestoreResult {
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
): Promise<RestoreResult> {
  const backup = resolve(source.backup)
  const manifest = await readManifest(backup)
  await mkdir(config.dataDir, { recursive: true, mode: 0o711 })
  const keys = resolve(source.keys ?? join(dirname(backup), 'keys', manifest.name))
  await mkdir(join(config.dataDir, 'keys'), { recursive: true, mode: 0o700 })
  // First, because a key pair whose private key was destroyed since the backup keeps its public key only.
  await restoreSlots(dirname(keys), join(config.dataDir, 'keys'))
  await restoreKeys(config, manifest, keys)
  const put = await putObjects(backup, manifest, objects)
  // A restored log may be shorter than the one before.
  await removeHeld(config.dataDir)
  const last = source.withoutDatabase ? undefined : await restoreDatabase(config, manifest, backup, source)
  const time = last ?? new Date(manifest.began_at * 1000)
  return { manifest, objects: put, last, replay: await protect(config, objects, time) }
}

/**
 * Pauses retention, destroys again, with keys and objects, what was destroyed after the backup, and seals both: before a
 * server starts and any user can read it.
 */
async function protect(
  config: AppContext['config'],
  objects: ObjectStore,
  time: Date,
): Promise<Replay | undefined> {
  const keys = localFileKeys({ folder: join(config.dataDir, 'keys') })
  const embedded =
    config.database.url === undefined
      ? await startEmbedded({
          dataDir: join(config.dataDir, 'postgres'),
          archive: config.walArchive,
          log: () => undefined,
        })
      : undefined
  try {
    const connection = embedded?.url ?? config.database.url ?? ''
    await migrate({ connection })
    const db = await openDatabase({ connection, appName: 'custodia restore' })
    try {
      await pauseRetention(db, time)
      const replay = await destroyAgain({ db, keys, objects })
      await sealEntries({ db, keys, now: () => Math.floor(Date.now() / 1000) })
      return replay
    } finally {
      await db.close()
    }
  } finally {
    await embedded?.stop()
  }
}

async function destroyAgain(
  ctx: Pick<AppContext, 'db' | 'keys'> & { objects: ObjectStore },
): Promise<Replay | undefined> {
  const { db, keys } = ctx
  if ((await keys.ledger.sizes()).size === 0) return undefined
  const replay = await replayLedger({ db, keys, log: { warn: () => undefined } })
  const { signal } = new AbortController()
  for (const client of await listClients(db)) await finishDestructions(ctx, client, signal)
  return replay
}

/**
 * Seals what the restore has written. Transaction numbers of another database server may be lower than those of the
 * log, so that verify could not tell these entries from inserted ones.
 */
async function sealEntries(ctx: Pick<AppContext, 'db' | 'keys' | 'now'>): Promise<void> {
  for (const client of await listClients(ctx.db))
    for (let look = 0; look < LOOKS && (await sealBatch(ctx, client)); look++) await sleep(LOOK_MS)
}

/** Pauses the retention of every account, each with its audit entry. */
async function pauseRetention(db: AppContext['db'], time: Date): Promise<void> {
  const audit = new AuditLog(db)
  const by = OPERATOR
  for (const client of await listClients(db))
    await db.write(client.client_id, async (tx) => {
      const pause = await pauseAfterRestore(tx, { time, by })
      const at = Math.floor(Date.now() / 1000)
      await audit.appendWithin(tx, systemEntry(client, { at, by }, 'account.retention:update', pause))
    })
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
  await forEachAtOnce(database.files, (file) =>
    copyVerified(join(from, file.path), join(draft, file.path), file),
  )
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
